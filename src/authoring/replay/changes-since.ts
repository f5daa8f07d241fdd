import { AgentError, ConfigError, messageOf } from '../../errors.ts';
import { reopenNow, type OpenNowPorts } from '../../core/lifecycle/open-now.ts';
import { shownMemory } from '../../core/memory/shown-memory.ts';
import { temperatureOf, type Opened } from '../../core/records/opened.ts';
import type { RunReads } from '../../core/records/ports.ts';
import type { Run } from '../../core/records/run.ts';
import { CHANGED_PARTS, type PartChange, type ChangeReport } from '../../core/reports/change-report.ts';
import { toText } from './difference.ts';

/**
 * Compares what shaped a run with how it would be opened now. A run that was derived from its caller is compared by the
 * one that it descends from, which was opened from its agent's file.
 * @throws {ConfigError} if it was never opened
 */
export async function changesSince(run: Run, ports: OpenNowPorts): Promise<ChangeReport> {
  const begun = await openedFromFile(run, ports.records);
  const before = await ports.records.opened(begun.id);
  if (before === undefined) {
    throw new ConfigError(`run "${begun.id}" was never opened, so there is nothing to compare`);
  }
  const report = { run_id: run.id, agent: begun.agent, opened: begun.id, version: before.version ?? null };
  try {
    const now = await reopenNow(begun, ports);
    return { ...report, version_now: now.version ?? null, changes: changesBetween(before, now) };
  } catch (thrown) {
    if (!(thrown instanceof AgentError || thrown instanceof ConfigError)) throw thrown;
    return { ...report, version_now: null, fault: messageOf(thrown), changes: [] };
  }
}

async function openedFromFile(run: Run, records: Pick<RunReads, 'run'>): Promise<Run> {
  if (run.derivedBy === undefined || run.parent === undefined) return run;
  const caller = await records.run(run.parent.run);
  return caller === undefined ? run : openedFromFile(caller, records);
}

function changesBetween(before: Opened, now: Opened): PartChange[] {
  const [was, is] = [partsOf(before), partsOf(now)];
  return CHANGED_PARTS.flatMap((part) => {
    const names = new Set([...Object.keys(was[part]), ...Object.keys(is[part])]);
    return [...names].flatMap((name): PartChange[] => {
      const [then, current] = [textOf(was[part][name]), textOf(is[part][name])];
      return then === current ? [] : [{ part, name, was: then, is: current }];
    });
  });
}

function textOf(value: unknown): string | null {
  return value === undefined ? null : toText(value);
}

type Parts = Record<(typeof CHANGED_PARTS)[number], Record<string, unknown>>;

/**
 * All that clients may read of what shapes a run. The addresses of servers and functions are not part of it.
 */
function partsOf(opened: Opened): Parts {
  const { delegation, rules, targets = {}, budget = {} } = opened;
  const withoutAddress = (name: string) => {
    const target = Object.hasOwn(targets, name) ? targets[name] : undefined;
    return target && { kind: target.kind, writes: target.writes, timeout: target.seconds };
  };
  return {
    model: { model: opened.model },
    prompt: { prompt: shownMemory(opened).others },
    tool: Object.fromEntries(
      opened.tools.map(({ name, description, parameters }) => [
        name,
        { description, parameters, ...withoutAddress(name) },
      ]),
    ),
    permission: {
      mode: rules?.mode,
      allow: written(rules?.allow),
      ask: written(rules?.ask),
      deny: written(rules?.deny),
      allowed_hosts: written(rules?.allowedHosts),
      sandbox: rules?.sandbox,
    },
    setting: {
      temperature: temperatureOf(opened),
      max_tokens: limit(opened.maxTokens),
      reasoning_effort: opened.reasoningEffort,
      api: opened.api,
      stream: opened.stream,
      output: opened.output?.schema,
      context: opened.context,
      retry: opened.retry,
      memory: opened.memory?.name,
      timeout: limit(opened.timeout),
      patience: opened.patience,
      'budget.max_tokens': budget.tokens,
      'budget.max_usd': budget.nanoUsd && budget.nanoUsd / 1e9,
      'budget.max_turns': budget.turns,
      'budget.max_tool_calls': budget.toolCalls,
      sub_agents: written(delegation.subAgents),
      'sub_agents_config.max_depth': delegation.maxDepth,
      'sub_agents_config.parallel': delegation.parallel,
      'sub_agents_config.timeout': limit(delegation.timeout),
      'sub_agents_config.background': delegation.background,
      models: delegation.models?.join('\n'),
      sub_agent: delegation.spawning,
      limits: opened.caps,
    },
  };
}

/** A list as lines, so that each entry is compared by itself; none where it is empty. */
function written(list: readonly string[] = []): string | undefined {
  return list.length === 0 ? undefined : list.join('\n');
}

/** @param value 0 for no limit */
function limit(value: number): number | undefined {
  return value === 0 ? undefined : value;
}
