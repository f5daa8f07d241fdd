import type { Allowance } from './amounts.ts';
import type { ToolRules, ToolTarget } from './call.ts';
import type { Compaction, Summary } from './compaction.ts';
import { parseJson, type Json } from '../json.ts';
import type {
  JsonSchema,
  Message,
  ModelResponse,
  OpenAIApi,
  ReasoningEffort,
  ToolDefinition,
  ToolParameters,
} from './message.ts';
import type { Caps, DelegationLimits, Plan } from './plan.ts';
import type { ToolServer } from './tool-server.ts';

/**
 * What is stored about a run. A run is one conversation of one agent, carried by one execution of the machine at a
 * time. Everything here is plain JSON, written and read by `src/store/runs.ts`.
 */

/**
 * `idle`: it has answered, and goes on as soon as it is written to. `budget_exceeded` is a normal end: a limit of the
 * tree was reached, and what there is so far is the result.
 */
export type RunStatus =
  'running' | 'idle' | 'succeeded' | 'budget_exceeded' | 'failed' | 'timed_out' | 'stopped';

/** The light record of a run: enough to list it and to draw its tree, without any of its texts. */
export interface Run {
  id: string;
  /** The `FORMAT` that it was written in; absent: 1. */
  v?: number;
  /** The run at the top of the tree; its own id for the top itself. */
  root: string;
  /** The call that asked for this run; absent at the top. */
  parent?: CallReference;
  /** Its place in the tree: "" at the top, `t1c2_t3c1` two levels down. */
  path: string;
  agent: string;
  /** What other agents of its tree call it; absent: as its agent. */
  name?: string;
  /** The tool by which it was derived from its parent; absent: it was opened from its agent's file. */
  derivedBy?: string;
  /** `provider/model-name`; "" where the agent could not be loaded. */
  model: string;
  /** 0 at the top. */
  depth: number;
  /** The owner: the subject of the token that its tree was requested with; absent: the account. */
  owner?: string;
  status: RunStatus;
  /** ISO 8601, UTC. */
  startedAt: string;
  endedAt?: string;
  /** When its execution took it over from an earlier one; absent for the first. */
  resumedAt?: string;
  /** How long earlier executions have worked on it. */
  workedMs?: number;
  /** The beginning of what it was asked, in one line. */
  task: string;
  /**
   * Which execution of the run carries it, from 1: one after another, never two at once. An execution with a higher
   * number takes the run over from one that has ended; an execution with a lower number changes nothing any more.
   */
  holder: number;
  /** That execution's ARN. */
  execution: string;
  /** Seconds that it was given. */
  timeout: number;
  /** Whether anybody has ever written to it. */
  hasMail?: true;
  /** The run that wrote to it and so woke it, which is told of its answer; absent: none, or a person. */
  wokenBy?: string;
  /** Set if a person has woken it, who sees what comes of that: no agent is told. */
  isForPerson?: true;
  /** What people have added to the budget of its tree, at the top; absent: nothing. */
  added?: { amounts: Allowance; by?: string; at: string }[];
  /** How often agents have woken each other since a person last wrote to one, at the top of a tree; absent: never. */
  wakes?: number;
  usage: Usage;
  /** The model's own word for why its last answer ended. */
  stopReason?: string;
  /** The length of its answer, or of what a budget left of one. */
  characters?: number;
  /** Which limit was reached, in words, if the status is `budget_exceeded`. */
  exceeded?: string;
  failure?: Failure;
  /** The turn in which it failed; absent where that was between turns, or is not known. */
  begun?: BegunTurn;
}

/** A turn whose model has been asked. */
export interface BegunTurn {
  turn: number;
  /** When it was asked, in milliseconds since 1970. */
  at: number;
  /** As in `Turn`. */
  messages: number;
  /** How many results it was sent. */
  pendingCalls: number;
}

/** The turn that a watched run is in, with what the model has written so far. */
export interface Draft extends BegunTurn {
  text: string;
}

/** One call of one turn of a run. Turns and calls count from 1. */
export interface CallReference {
  run: string;
  turn: number;
  call: number;
}

/** What a run used itself, without the runs below it. */
export interface Usage {
  turns: number;
  toolCalls: number;
  /** Including what was read from a cache or written to one. */
  inputTokens: number;
  outputTokens: number;
  /** Of the input. Absent: none. */
  cacheReadTokens?: number;
  /** Of the input. Absent: none. */
  cacheWriteTokens?: number;
  /** What it cost, in billionths of a dollar. Absent: no turn yet, or one with an unknown price. */
  nanoUsd?: number;
  /** Calls whose results, as far as its model has read them, are errors. Absent: none. */
  failedCalls?: number;
  /** Requests that were sent again because the model's API had failed. Absent: none. */
  retries?: number;
}

/** Why a run did not succeed: the error's name (see `errors.ts`) and the text for people and for the parent's model. */
export interface Failure {
  error: string;
  message: string;
}

/** What a caller asked for at the top of a tree: an agent, its prompt, and what differs from the agent's file. */
export interface RunRequest {
  agent: string;
  prompt?: string;
  /** Text that the prompt is about; a user's stdin. */
  context?: string;
  overrides?: Overrides;
  /** What was said before, as a client that keeps conversations itself has it: texts of users and of the agent. */
  earlier?: Message[];
  /** As in `Run`. */
  owner?: string;
}

/** What a caller may set in place of the agent's file; none of it reaches a sub-agent. */
export interface Overrides {
  model?: string;
  skill?: string;
  workdir?: string;
  /** Seconds for the whole run. */
  timeout?: number;
  /** Seconds that it may wait for people, unless the agent's file says otherwise. */
  patience?: number;
  /** The most tokens of one answer, unless the agent's file says less. */
  maxTokens?: number;
  /** For the run and everything below it. */
  budget?: Allowance;
}

/** A conversation as it was opened: the fixed part of all of its requests. Written once, never changed. */
export interface Opened {
  /** The run at the top of the tree. */
  root: string;
  agent: string;
  model: string;
  system: string;
  /** The skill in it, as its agent's file or the caller names it; absent: none. */
  skill?: string;
  /** Paths of the files in it, relative to its workdir; absent: none. */
  files?: string[];
  /** The first user message. */
  message: string;
  /** Where in `message` the input begins, if its sub-agents may read it. */
  inputAt?: number;
  /** Whether its sub-agents read its input, or the one that it was given to read, without its model copying it. */
  sharesInput?: boolean;
  /** The run whose input follows the message, by reference; absent for none. */
  inputOf?: string;
  /** What was said before its first message, where its client keeps the conversation; absent: nothing. */
  earlier?: Message[];
  /** What it inherits from other conversations, ahead of its own messages; absent for nothing. */
  history?: Segment[];
  temperature: number;
  maxTokens: number;
  reasoningEffort?: ReasoningEffort;
  api?: OpenAIApi;
  /** False: answers are asked for whole. */
  stream?: false;
  /** What its answer must be; absent: any text. */
  output?: OutputSchema;
  tools: ToolDefinition[];
  /** What carries out the calls of tools that are not built in, by the tool's name; absent: there are none. */
  targets?: Record<string, ToolTarget>;
  /** The servers that targets name; absent: none. */
  servers?: Record<string, ToolServer>;
  /** What it may do with its tools; absent if it can only delegate. */
  rules?: ToolRules;
  /** The folder that tools act in, relative to where the command runs; absent: that folder. Sub-agents inherit it. */
  workdir?: string;
  /** Tools of the conversation that this one is derived from, which it may not use; absent: none. */
  withheld?: string[];
  delegation: DelegationLimits;
  /** Its own limits; absent if it has none. */
  caps?: Caps;
  /** It ends when nothing has been heard of it for so many seconds; absent: that is no reason to end. */
  quietSeconds?: number;
  /** The limits of the whole tree, as its root has them; absent if it has none. */
  budget?: Allowance;
  /** Absent if the agent wants none. */
  retry?: RetryPolicy;
  /** What its agent says about the window of its model; absent: nothing. */
  context?: ContextRules;
  /** The memory that gets the answer, and the number of entries to warn above (0: never); absent if there is none. */
  memory?: { name: string; maxEntries: number };
  /** Seconds that the caller or the agent sets for the run; 0 if neither does. */
  timeout: number;
  /** Whether an agent above it has `wait`, with which that and its forks may wait for its end; absent: none has. */
  isAwaited?: true;
  /** How many forks it is away from an agent that is none; absent: it is none. */
  forks?: number;
  /** Seconds that the tree may wait for people in all, at its top; absent: its clock never stands still. */
  patience?: number;
}

/** The form of an answer that is JSON. */
export interface OutputSchema {
  /** What the answer is checked with. */
  schema: JsonSchema;
  /** The same as far as every provider takes it. */
  parameters: ToolParameters;
}

/** How a conversation is kept within the window of its model. */
export interface ContextRules {
  /** Whether older parts are left out or summarised. */
  compact: boolean;
  /** The window in tokens; absent: as far as it is known of the model. */
  window?: number;
}

/** The conversation of a run as sent for its turn `to`. */
export interface Segment {
  run: string;
  to: number;
  /** Whether that turn's answer is part of it. */
  isAnswered?: true;
}

/** How often and when a request that a model's API failed to answer is sent again. */
export interface RetryPolicy {
  maxRetries: number;
  backoff: 'exponential' | 'linear' | 'fixed';
  initialDelayMs: number;
  maxDelayMs: number;
}

/** One turn: what the model was told, what it answered, and what is to be done about it. Written once. */
export interface Turn {
  number: number;
  /** The name of the execution that made it, and has it in its history; absent: the one that is named as the run. */
  execution?: string;
  /** What the model was told after its last answer: the results of its calls in call order, then what others said. */
  received: Message[];
  /** The messages in its mailbox whose texts it was told; absent: none. */
  told?: string[];
  /** Whether it was told that it has unread mail. */
  isNoticed?: true;
  /** How many messages were sent in all. */
  messages: number;
  /** How its older part was sent, from this turn on; absent: as for the turn before. */
  compaction?: Compaction;
  answer: ModelResponse;
  /**
   * What is wrong with the answer, of a run whose answer must be JSON: [] if nothing is. Absent: it is not the final
   * answer, or may be any text.
   */
  faults?: string[];
  /** One for each call of the answer, in call order. */
  plans: Plan[];
  /** When the answer arrived: ISO 8601, UTC. */
  at: string;
  latencyMs: number;
  /** How often its request was sent again because the model's API had failed; absent: never. */
  retries?: number;
  /** What it cost at the time, in billionths of a dollar. Absent: the price was unknown. */
  nanoUsd?: number;
  /** Which limit stands in the way of its calls, in words; then none of them is carried out. */
  exceeded?: string;
}

/** Whether an answer is one that its model has nothing to do after: it has no calls, and nothing to correct. */
export function isFinal({ answer, faults = [] }: Pick<Turn, 'answer' | 'faults'>): boolean {
  return answer.calls.length === 0 && faults.length === 0;
}

/** Whether a turn is the last one, unless its agent is written to. */
export function isAnswer(turn: Turn): boolean {
  return isFinal(turn) && turn.exceeded === undefined;
}

/**
 * The result of a run: its last answer or, if a budget ended it, the newest answer with any text. "" if there is none.
 */
export function resultOf(run: Pick<Run, 'status'>, turns: readonly Turn[]): string {
  return resultTurn(run, turns)?.answer.text ?? '';
}

/** The same as a value, of a run whose answer must be JSON; undefined where there is no answer that is what it must be. */
export function outputOf(run: Pick<Run, 'status'>, turns: readonly Turn[]): Json | undefined {
  const turn = resultTurn(run, turns);
  return turn?.faults?.length === 0 ? parseJson(turn.answer.text) : undefined;
}

function resultTurn({ status }: Pick<Run, 'status'>, turns: readonly Turn[]): Turn | undefined {
  if (status === 'succeeded' || status === 'idle') return turns.at(-1);
  if (status !== 'budget_exceeded') return undefined;
  return turns.findLast(({ answer }) => answer.text.trim() !== '');
}

/** Whether it has an answer, even one that a budget cut short. */
export function hasAnswer({ status }: { status: RunStatus | 'interrupted' }): boolean {
  return status === 'succeeded' || status === 'budget_exceeded';
}

/** Whether nothing is left to do. A stopped run has not ended by itself: it goes on when its tree does. */
export function hasEnded(run: Pick<Run, 'status' | 'failure'>): boolean {
  return isKilled(run) || (run.status !== 'stopped' && !isOpen(run));
}

/** Whether it works, or is ready to. */
export function isOpen({ status }: { status: RunStatus | 'interrupted' }): boolean {
  return status === 'running' || status === 'idle';
}

/** Whether it ends without anybody writing to it: an idle agent that is no fork waits for its forks. */
export function isUnderWay(run: { status: RunStatus | 'interrupted'; derivedBy?: string }): boolean {
  return run.status === 'running' || (run.status === 'idle' && !isFork(run));
}

/** The failure of an agent that was killed, which nothing brings back. */
export const KILLED = 'Killed';

export function isKilled({ failure }: Pick<Run, 'failure'>): boolean {
  return failure?.error === KILLED;
}

/** Whether it goes on beside the one that started it, instead of being waited for. */
export function isFork({ derivedBy }: Pick<Run, 'derivedBy'>): boolean {
  return derivedBy === 'fork';
}

/** What others call it. */
export function nameOf({ name, agent }: Pick<Run, 'name' | 'agent'>): string {
  return name ?? agent;
}

/** The runs of a tree that are below a run, in the order in which they are given. */
export function runsBelow<T extends Pick<Run, 'path'>>({ path }: Pick<Run, 'path'>, tree: readonly T[]): T[] {
  return tree.filter((run) => run.path !== path && (path === '' || run.path.startsWith(`${path}_`)));
}

/** When its time is over, in milliseconds since 1970, unless its tree's clock stands still meanwhile. */
export function endOfTime({ startedAt, resumedAt, timeout }: Run): number {
  return Date.parse(resumedAt ?? startedAt) + 1000 * timeout;
}

/** How long executions worked on it, in milliseconds, without the time in which none carried it. */
export function durationOf(
  run: Pick<Run, 'startedAt' | 'endedAt' | 'resumedAt' | 'workedMs'>,
  now: number,
): number {
  const end = run.endedAt === undefined ? now : Date.parse(run.endedAt);
  return (run.workedMs ?? 0) + end - Date.parse(run.resumedAt ?? run.startedAt);
}

/** The usage of a run that has done nothing yet. */
export const NO_USAGE: Usage = { turns: 0, toolCalls: 0, inputTokens: 0, outputTokens: 0 };

/** Adds up what the turns used, with the summaries that were written for them. */
export function usageOf(turns: readonly Turn[]): Usage {
  const paid = turns.flatMap((turn) => [
    { usage: turn.answer.usage, nanoUsd: turn.nanoUsd },
    ...summaryOf(turn),
  ]);
  const sum = (count: (one: (typeof paid)[number]) => number) =>
    paid.reduce((total, one) => total + count(one), 0);
  const cacheReadTokens = sum(({ usage }) => usage.cacheReadTokens ?? 0);
  const cacheWriteTokens = sum(({ usage }) => usage.cacheWriteTokens ?? 0);
  const failedCalls = turns.reduce((total, { received }) => total + countErrors(received), 0);
  const retries = turns.reduce((total, turn) => total + (turn.retries ?? 0), 0);
  const isPriced = turns.length > 0 && paid.every(({ nanoUsd }) => nanoUsd !== undefined);
  return {
    turns: turns.length,
    toolCalls: turns.reduce((total, { answer }) => total + answer.calls.length, 0),
    inputTokens: sum(({ usage }) => usage.inputTokens),
    outputTokens: sum(({ usage }) => usage.outputTokens),
    ...(cacheReadTokens > 0 && { cacheReadTokens }),
    ...(cacheWriteTokens > 0 && { cacheWriteTokens }),
    ...(isPriced && { nanoUsd: sum(({ nanoUsd }) => nanoUsd ?? 0) }),
    ...(failedCalls > 0 && { failedCalls }),
    ...(retries > 0 && { retries }),
  };
}

function countErrors(received: readonly Message[]): number {
  return received.flatMap((message) =>
    message.role === 'tool' ? message.results.filter(({ isError }) => isError) : [],
  ).length;
}

/** Later turns have the same summary, which was paid for once. */
function summaryOf({ number, compaction }: Turn): Pick<Summary, 'usage' | 'nanoUsd'>[] {
  const summary = compaction?.summary;
  return summary?.turn === number ? [summary] : [];
}
