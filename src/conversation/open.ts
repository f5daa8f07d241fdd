import * as v from 'valibot';
import type { Allowance } from '../runs/amounts.ts';
import type { LoadedAgent } from '../agent/agent-source.ts';
import { ContextError, resolveContext, type ContextPorts } from '../agent/context.ts';
import { secondsIn } from '../agent/duration.ts';
import { loadAgent } from '../agent/load-agent.ts';
import { AgentError, messageOf } from '../errors.ts';
import { memoryName, type Memories } from '../memory/memories.ts';
import { recall } from '../memory/recall.ts';
import { parseModelName } from '../models/model-name.ts';
import { offerOf } from '../tools/offer.ts';
import { FORMAT } from '../machine/format.ts';
import { isDead } from '../runs/arrivals.ts';
import { freshClock, pausedAt } from '../runs/clock.ts';
import { DEFAULT_TIMEOUT, ownDeadline, secondsUntil } from '../runs/deadline.ts';
import { identityOf, openedEvent, type EmitRunEvent } from '../runs/event.ts';
import type { JsonSchema } from '../runs/message.ts';
import type { RunStore } from '../runs/ports.ts';
import { preview } from '../runs/preview.ts';
import { runOfExecution } from '../runs/run-id.ts';
import type { Opened, OutputSchema } from '../runs/opened.ts';
import type { Overrides } from '../runs/request.ts';
import { isFork, isKilled, nameOf, NO_USAGE, type Run } from '../runs/run.ts';
import { derive } from './derive.ts';
import { endedCaller } from './ended-caller.ts';
import { forkOf } from './fork.ts';
import { holdRun, isHeldBy, type Claim } from './hold.ts';
import { findOrigin, type Origin, RunInput } from './origin.ts';
import { reopenRun } from './reopen.ts';
import { offerOfServers, type ServerPorts } from './server-tools.ts';

const OpenInput = v.object({
  /** ARN and name of the execution, and how often it was redriven, as the context object has them. */
  execution: v.string(),
  name: v.string(),
  redrives: v.number(),
  input: RunInput,
});

export interface OpenOutput {
  run: string;
  /** Which execution of the run this is; each redrive counts as one more. */
  holder: number;
  /** Milliseconds since 1970. */
  deadline: number;
  /** Seconds until then. */
  timeout: number;
  /** Seconds that the tree may wait for people in all, which do not count. */
  patience: number;
}

export interface OpenPorts extends ContextPorts, ServerPorts {
  store: RunStore;
  memories: Memories;
  emit: EmitRunEvent;
  now: () => number;
}

/**
 * Opens the conversation of an execution: loads the agent, gathers its context, and saves everything that stays the
 * same from turn to turn. A run that was opened before continues unchanged in this execution.
 *
 * @throws {ConfigError | AgentError} which fail the run; the record says why, so that a parent can be told
 */
export async function openRun(event: unknown, ports: OpenPorts): Promise<OpenOutput> {
  const { execution, name: executionName, redrives, input } = v.parse(OpenInput, event);
  const id = input.run ?? runOfExecution(executionName);
  const { isWoken, wokenBy, isForPerson } = input;
  const claim: Claim = { holder: input.holder + redrives, execution, isWoken, wokenBy, isForPerson };
  if (isWoken) {
    const [run, opened] = await Promise.all([ports.store.run(id), ports.store.opened(id)]);
    if (run !== undefined && opened !== undefined) {
      const { deadline, patience, holder } = input;
      const woken = await reopenRun({ run, opened, claim, deadline, patience }, ports);
      await assertWanted(run, ports.store);
      return { ...woken, holder };
    }
  }
  const origin = await findOrigin(id, input, ports.store);
  const name = origin.fork && (await ports.store.claimName({ id, path: origin.path }, origin.fork.name));
  const startedAt = ports.now();
  const base: Run = {
    id,
    v: FORMAT,
    root: origin.root ?? id,
    ...(origin.parent !== undefined && { parent: origin.parent }),
    path: origin.path,
    agent: origin.agent,
    ...(origin.derived !== undefined && { derivedBy: origin.derived.by }),
    ...(name !== undefined && { name, derivedBy: 'fork' }),
    model: '',
    depth: origin.depth,
    ...(origin.owner !== undefined && { owner: origin.owner }),
    status: 'running',
    startedAt: new Date(startedAt).toISOString(),
    task: preview(origin.task),
    holder: claim.holder,
    execution,
    timeout: 0,
    usage: NO_USAGE,
  };
  const { store } = ports;
  let before: Opened | undefined;
  let made: Opened;
  try {
    assertKnownFormat(input.v);
    before = await store.opened(id);
    made = before ?? (await toOpened(base, origin, ports));
  } catch (thrown) {
    await ports.store.insertRun(base);
    ports.emit(openedEvent(base));
    throw thrown;
  }
  const patience = made.patience ?? input.patience;
  // Deadlines are times of the tree's clock, which stands still while somebody waits for a person.
  const begins = startedAt - (patience > 0 ? await pausedBefore(base, patience, ports) : 0);
  const timesOf = (opened: Opened) => {
    const deadline =
      input.deadline === undefined
        ? begins + (input.timeout || opened.timeout || DEFAULT_TIMEOUT) * 1000
        : ownDeadline(begins, input.deadline, opened.timeout, origin.timeout);
    return { deadline, timeout: secondsUntil(deadline, begins) };
  };
  // Written at once. Whoever finds one without the other opens the run again, to the same effect.
  const [opened, kept] = await Promise.all([
    before ?? store.saveOpened(id, made),
    store.insertRun({ ...base, model: made.model, timeout: timesOf(made).timeout }),
  ]);
  const { deadline, timeout } = timesOf(opened);
  const { model } = opened;
  const run = { ...base, model, timeout };
  // A run that has its answer keeps it; this execution carries any other from now on.
  const newest = isHeldBy(kept, claim) ? undefined : await store.newestTurn(id);
  const held = await holdRun(kept, { ...claim, changes: { model, timeout } }, newest?.at, ports);
  // One that was written before it was known how the run is opened.
  if (held !== undefined && (held.model !== model || held.timeout !== timeout)) {
    await store.updateRun(id, (one) => (isHeldBy(one, claim) ? { ...one, model, timeout } : one), held);
  }
  await assertWanted(run, store);
  ports.emit(openedEvent(run));
  return { run: id, holder: input.holder, deadline, timeout, patience };
}

/**
 * How long the tree has waited for people before the run began, in milliseconds. A tree that is resumed has all of its
 * patience again: while nobody carried it, nobody waited.
 */
async function pausedBefore({ root, parent, holder }: Run, patience: number, { store, now }: OpenPorts) {
  if (parent !== undefined) return pausedAt(await store.clock(root), now());
  if (holder > 1) await store.changeClock(root, (clock) => clock && freshClock(1000 * patience));
  return 0;
}

/** A deployment may have been rolled back while runs of a later one are under way. */
function assertKnownFormat(format: number): void {
  if (format <= FORMAT) return;
  throw new AgentError(
    `the run was started by a newer version of cadre (format ${format}; this one knows ${FORMAT}): deploy that version again, and resume the run`,
  );
}

/**
 * Whoever ends an agent closes its record first, and then looks for what is below it; this looks at the record after
 * it has left its own. So one of both sees the other, and nothing is begun for an agent that has ended.
 */
async function assertWanted(run: Run, store: RunStore): Promise<void> {
  // Sub-agents that are waited for end with their caller's execution, and go on with it when it is redriven.
  const caller = await endedCaller(run, store, isFork(run) ? isDead : isKilled);
  if (caller === undefined) return;
  throw new AgentError(`its caller, run "${caller.id}", has ended: its status is ${caller.status}`);
}

async function toOpened(base: Run, origin: Origin, ports: OpenPorts): Promise<Opened> {
  const { fork, parent } = origin;
  if (fork !== undefined && parent !== undefined) {
    const newest = { run: parent.run, to: parent.turn };
    return forkOf(fork.from, base.id, nameOf(base), newest, origin.task);
  }
  const own = await (origin.derived === undefined
    ? fromFile(base, origin, ports)
    : derive(origin.derived, origin));
  return origin.isAwaited ? { ...own, isAwaited: true } : own;
}

async function fromFile(base: Run, origin: Origin, ports: OpenPorts): Promise<Opened> {
  const loaded = await named('failed to load agent', origin, () => loadAgent(origin.agent, ports.source));
  const { agent } = loaded;
  const model = origin.overrides.model ?? agent.model;
  await named('invalid model for agent', origin, () => parseModelName(model));
  const warn = (message: string) =>
    ports.emit({ type: 'warning', ...identityOf({ ...base, model }), message });
  const memory = await recall(origin.agent, agent.memory, ports.memories, warn);
  const { systemPrompt, skill, files } = await contextOf(loaded, origin, memory, ports);
  const budget = origin.parent === undefined ? budgetOf(agent, origin.overrides) : origin.budget;
  const toolsIn = origin.overrides.workdir?.trim() || agent.workdir.trim() || origin.workdir;
  return {
    root: base.root,
    ...(budget !== undefined && { budget }),
    ...(agent.retry.maxRetries > 0 && { retry: agent.retry }),
    ...contextRulesOf(agent, model),
    ...(agent.memory.enabled && {
      memory: { name: memoryName(origin.agent, agent.memory), maxEntries: agent.memory.maxEntries },
    }),
    agent: origin.agent,
    model,
    system: systemPrompt,
    ...(skill !== '' && { skill: origin.overrides.skill?.trim() || agent.skill.trim() }),
    ...(files.length > 0 && { files: files.map(({ path }) => path) }),
    ...(origin.earlier !== undefined && { earlier: origin.earlier }),
    message: origin.message,
    ...(agent.shareInput && { sharesInput: true }),
    ...(agent.shareInput &&
      origin.input.trim() !== '' && { inputAt: origin.message.length - origin.input.length }),
    ...(origin.inputOf !== undefined && { inputOf: origin.inputOf }),
    temperature: agent.params.temperature,
    maxTokens: lesser(origin.overrides.maxTokens, agent.params.maxTokens),
    ...(agent.params.reasoningEffort !== undefined && { reasoningEffort: agent.params.reasoningEffort }),
    ...(agent.params.api !== undefined && { api: agent.params.api }),
    ...(agent.params.stream === false && { stream: false }),
    ...(agent.output !== undefined && { output: await outputSchemaOf(agent.output) }),
    ...(await offerOf(agent, { ...origin, model }, await offerOfServers(agent.mcpServers, ports, warn))),
    ...(toolsIn !== '' && { workdir: toolsIn }),
    timeout: origin.overrides.timeout ?? agent.timeout,
    ...(origin.parent === undefined && patienceOf(agent, origin.overrides)),
  };
}

/** @param own 0 where there is no limit */
function lesser(asked: number | undefined, own: number): number {
  if (asked === undefined) return own;
  return own === 0 ? asked : Math.min(asked, own);
}

/** Loaded late: few agents have a schema. */
async function outputSchemaOf(schema: JsonSchema): Promise<OutputSchema> {
  const { simplifyParameters } = await import('../tools/simplify-parameters.ts');
  return { schema, parameters: simplifyParameters(schema).parameters };
}

/** What its file says about the window of its model, which no other model has. */
function contextRulesOf(agent: LoadedAgent['agent'], model: string): Pick<Opened, 'context'> {
  const { compact, window } = agent.context;
  const isOwn = window > 0 && model === agent.model;
  return compact && !isOwn ? {} : { context: { compact, ...(isOwn && { window }) } };
}

/** What the file says takes precedence: where it says nothing, a person at a terminal may be asked. */
function patienceOf({ patience }: LoadedAgent['agent'], overrides: Overrides): Pick<Opened, 'patience'> {
  const seconds = patience === undefined ? (overrides.patience ?? 0) : secondsIn(patience);
  return seconds > 0 ? { patience: seconds } : {};
}

/** The limits that the agent's file and the caller set for the whole tree; those of sub-agents are ignored. */
function budgetOf({ budget }: LoadedAgent['agent'], overrides: Overrides): Allowance | undefined {
  const limits = Object.entries({
    tokens: budget.maxTokens,
    nanoUsd: Math.round(budget.maxUsd * 1e9),
    turns: budget.maxTurns,
    toolCalls: budget.maxToolCalls,
    ...overrides.budget,
  }).filter(([, limit]) => limit > 0);
  return limits.length > 0 ? Object.fromEntries(limits) : undefined;
}

async function contextOf(loaded: LoadedAgent, origin: Origin, memory: string, ports: OpenPorts) {
  const { skill, workdir } = origin.overrides;
  try {
    const overrides = { ...(skill && { skill }), ...(workdir && { workdir }), memory };
    return await resolveContext(loaded, overrides, ports);
  } catch (thrown) {
    if (!(thrown instanceof ContextError)) throw thrown;
    const what =
      thrown.part === 'files' ? 'failed to resolve files for agent' : 'failed to load skill for agent';
    return named(what, origin, () => Promise.reject(thrown));
  }
}

/** At the top of a tree the message stands alone; for a parent's model it names the sub-agent that failed. */
async function named<T>(what: string, origin: Origin, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (origin.parent === undefined) throw thrown;
    throw new AgentError(`${what} "${origin.agent}": ${messageOf(thrown)}`, { cause: thrown });
  }
}
