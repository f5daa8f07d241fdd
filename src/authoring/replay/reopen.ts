import type { ContextPorts } from '../../core/agent-schema/context.ts';
import { openRun, type OpenPorts } from '../../core/lifecycle/open.ts';
import { AgentError, ConfigError, messageOf } from '../../errors.ts';
import { LIMITS, type Allowance, type Limit } from '../../core/records/amounts.ts';
import { temperatureOf, type Opened } from '../../core/records/opened.ts';
import { usageOf } from '../../core/records/turn.ts';
import { firstDifference, type Aspects, type Difference, type ReplayPoint } from './difference.ts';
import { recordedMemories, recordedServers } from './recorded-context.ts';
import type { RecordedStore } from './recorded-store.ts';
import type { RecordedRun, Recording } from './recording.ts';
import { loadOwnTools } from '../../tools/load-own-tools.ts';
import { mostSearches } from '../../core/model/searches.ts';
import { defined } from '../../defined.ts';

/** Opens a conversation again, from its agent's files as they are now or from the one that it is derived from. */
export async function reopen(
  recorded: RecordedRun,
  recording: Recording,
  world: RecordedStore,
  context: ContextPorts,
): Promise<Difference | undefined> {
  const { run, opened } = recorded;
  const at: ReplayPoint = { run: run.id, path: run.path, agent: run.agent };
  // A copy of another conversation is opened from no file.
  if (run.forkedFrom !== undefined) return undefined;
  const made = world.goTo({ recorded, turn: 1 });
  const ports: OpenPorts = {
    ...context,
    store: world.store,
    tools: loadOwnTools,
    memories: recordedMemories(opened),
    servers: recordedServers(opened),
    ...(mostSearches(opened?.tools ?? []) > 0 && { searchesByModel: true }),
    now: () => Date.parse(run.startedAt),
  };
  const { id, agent, holder, depth, parent, execution } = run;
  const input = { agent, run: id, holder, depth, ...defined({ parent }) };
  try {
    await openRun({ execution, name: id, redrives: 0, input }, ports);
  } catch (thrown) {
    if (!(thrown instanceof AgentError || thrown instanceof ConfigError)) throw thrown;
    return { at, what: 'whether it can be opened', recorded: 'it was opened', now: messageOf(thrown) };
  }
  if (opened === undefined || made.opened === undefined) return undefined;
  const { budget } = made.opened;
  return (
    firstDifference(at, aspectsOf(opened), aspectsOf(made.opened)) ??
    (parent === undefined && budget !== undefined ? overBudget(at, recording, opened, budget) : undefined)
  );
}

/** The prompt and tools that a model is sent with every turn, and the place where its tools act. */
function aspectsOf(opened: Opened): Aspects {
  return {
    'the model': opened.model,
    'the system prompt': opened.system,
    'the first message': opened.message,
    'what it inherits': opened.history,
    'the input that it reads': opened.inputOf,
    'the tools': opened.tools,
    'the form of its answer': opened.output?.schema,
    'the temperature': temperatureOf(opened),
    'the most tokens of an answer': opened.maxTokens,
    'the reasoning effort': opened.reasoningEffort,
    'the API': opened.api,
    'the folder of its tools': opened.workdir,
  };
}

const WORDS: Partial<Record<Limit, string>> = {
  tokens: 'tokens',
  nanoUsd: 'billionths of a dollar',
  turns: 'turns',
  toolCalls: 'tool calls',
};

/** Whether the tree would no longer reach its end: it has spent more than it may now, and not more than it might. */
function overBudget(
  at: ReplayPoint,
  { runs }: Recording,
  { budget: before = {} }: Opened,
  now: Allowance,
): Difference | undefined {
  const usage = usageOf(runs.flatMap(({ turns }) => turns));
  const used: Allowance = {
    tokens: usage.inputTokens + usage.outputTokens,
    nanoUsd: usage.nanoUsd ?? 0,
    turns: usage.turns,
    toolCalls: usage.toolCalls,
  };
  const exceeds = (allowed: Allowance, limit: Limit) => (used[limit] ?? 0) > (allowed[limit] ?? Infinity);
  const limit = LIMITS.find((each) => exceeds(now, each) && !exceeds(before, each));
  if (limit === undefined) return undefined;
  const words = WORDS[limit] ?? limit;
  return {
    at,
    what: 'the budget',
    recorded: `the tree used ${used[limit]} ${words}`,
    now: `it may use ${now[limit]} ${words}`,
  };
}
