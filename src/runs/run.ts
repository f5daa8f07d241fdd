import type { Allowance } from './amounts.ts';
import type { ToolRules, ToolTarget } from './call.ts';
import type { Message, ModelResponse, OpenAIApi, ReasoningEffort, ToolDefinition } from './message.ts';
import type { DelegationLimits, Plan } from './plan.ts';
import type { ToolServer } from './tool-server.ts';

/**
 * What is kept of a run. A run is one conversation of one agent, carried by one execution of the machine at a time.
 * Everything here is plain JSON, written and read by `src/store/runs.ts`.
 */

/** `budget_exceeded` is a normal end: a limit of the tree was reached, and what there is so far is the result. */
export type RunStatus = 'running' | 'succeeded' | 'budget_exceeded' | 'failed' | 'timed_out' | 'stopped';

/** The light record of a run: enough to list it and to draw the tree it belongs to, without any text of it. */
export interface Run {
  id: string;
  /** The `FORMAT` that it was written in; absent: 1. */
  v?: number;
  /** The run at the top of the tree; its own id for the top itself. */
  root: string;
  /** The call that asked for this run; absent at the top. */
  parent?: CallReference;
  /** Its place in the tree: "" at the top, `t1c2_t3c1` for a call of a sub-agent of a call. */
  path: string;
  agent: string;
  /** `provider/model-name`; "" where the agent could not be loaded. */
  model: string;
  /** 0 at the top. */
  depth: number;
  /** The subject of the token with which its tree was asked for, to whom it belongs; absent: it belongs to the account. */
  owner?: string;
  status: RunStatus;
  /** ISO 8601, UTC. */
  startedAt: string;
  endedAt?: string;
  /** When its execution took it over from an earlier one; absent in the first. */
  resumedAt?: string;
  /** How long earlier executions worked on it. */
  workedMs?: number;
  /** The beginning of what it was asked, in one line. */
  task: string;
  /**
   * Which execution of the run carries it, from 1: one after another, never two. An execution with a higher number takes
   * the run over from one that has ended, and whoever has a lower one touches nothing any more.
   */
  holder: number;
  /** That execution's ARN. */
  execution: string;
  /** Seconds that it was given. */
  timeout: number;
  usage: Usage;
  /** The model's own word for why its last answer ended. */
  stopReason?: string;
  /** The length of its answer, or of what a budget left of one. */
  characters?: number;
  /** Which limit was reached, in words, where the status is `budget_exceeded`. */
  exceeded?: string;
  failure?: Failure;
}

/** One call of one turn of a run. Turns and calls count from 1. */
export interface CallReference {
  run: string;
  turn: number;
  call: number;
}

/** What a run did itself, without the runs below it. */
export interface Usage {
  turns: number;
  toolCalls: number;
  /** With what was read from a cache or written to one. */
  inputTokens: number;
  outputTokens: number;
  /** Of the input. Absent: none. */
  cacheReadTokens?: number;
  /** Of the input. Absent: none. */
  cacheWriteTokens?: number;
  /** What it cost, in billionths of a dollar. Absent: no turn yet, or one whose price was not known. */
  nanoUsd?: number;
}

/** Why a run did not succeed: the error's name (see `errors.ts`) and the text for people and for the parent's model. */
export interface Failure {
  error: string;
  message: string;
}

/** What somebody asked for at the top of a tree: an agent, the words for it, and what differs from its file. */
export interface RunRequest {
  agent: string;
  prompt?: string;
  /** Text that the prompt is about; a user's stdin. */
  context?: string;
  overrides?: Overrides;
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
  /** For the run with everything below it. */
  budget?: Allowance;
}

/** A conversation as it was opened: the fixed part of every request of the run. Written once, never changed. */
export interface Opened {
  /** The run at the top of the tree. */
  root: string;
  agent: string;
  model: string;
  system: string;
  /** The first user message. */
  message: string;
  /** Where in `message` the input begins, if its sub-agents may read it. */
  inputAt?: number;
  /** Whether its sub-agents read its input, or what it reads itself, without its model copying it. */
  sharesInput?: boolean;
  /** The run whose input follows the message, by reference; absent for none. */
  inputOf?: string;
  /** What it inherits of other conversations, before its own first message; absent for nothing. */
  history?: Segment[];
  temperature: number;
  maxTokens: number;
  reasoningEffort?: ReasoningEffort;
  api?: OpenAIApi;
  tools: ToolDefinition[];
  /** Whose calls go to a function or a server that is not ours, by the tool's name; absent: none. */
  targets?: Record<string, ToolTarget>;
  /** The servers of such tools, by the names that targets have for them; absent: none. */
  servers?: Record<string, ToolServer>;
  /** What it may do with them; absent where it has none but those with which agents delegate. */
  rules?: ToolRules;
  /** Where tools act, relative to where the command runs; absent: there itself. Sub-agents inherit it. */
  workdir?: string;
  delegation: DelegationLimits;
  /** The limits of the whole tree, the root's; absent where it has none. */
  budget?: Allowance;
  /** Absent where the agent wants none. */
  retry?: RetryPolicy;
  /** What the answer is appended to, and above how many entries to warn (0: never); absent where the agent keeps none. */
  memory?: { name: string; maxEntries: number };
  /** Seconds that the caller or the agent sets for the run; 0 where neither does. */
  timeout: number;
}

/** The conversation of a run as far as its turn `to` was sent it, that turn's answer not included. */
export interface Segment {
  run: string;
  to: number;
}

/** How often and when a request is sent again that a model's API failed to answer. */
export interface RetryPolicy {
  maxRetries: number;
  backoff: 'exponential' | 'linear' | 'fixed';
  initialDelayMs: number;
  maxDelayMs: number;
}

/** One turn: what the model was told last, what it answered, and what is to be done about it. Written once. */
export interface Turn {
  number: number;
  /** What the model was told since its last answer: the results of its calls in call order, then what others said. */
  received: Message[];
  /** How many messages were sent in all. */
  messages: number;
  answer: ModelResponse;
  /** One for each call of the answer, in call order. */
  plans: Plan[];
  /** ISO 8601, UTC: when the answer was there. */
  at: string;
  latencyMs: number;
  /** What it cost when it was made, in billionths of a dollar. Absent: the price was not known. */
  nanoUsd?: number;
  /** Which limit stands in the way of its calls, in words: none of them is carried out. */
  exceeded?: string;
}

/**
 * What a run came to: its last answer, or, where it was ended by a budget, the newest that says anything. "" where
 * there is none.
 */
export function resultOf(run: Pick<Run, 'status'>, turns: readonly Turn[]): string {
  const last = turns.at(-1)?.answer.text ?? '';
  if (run.status === 'succeeded') return last;
  if (run.status !== 'budget_exceeded') return '';
  return turns.findLast(({ answer }) => answer.text.trim() !== '')?.answer.text ?? '';
}

/** Whether it came to an answer, be it one that a budget cut short. */
export function hasAnswer({ status }: { status: RunStatus | 'interrupted' }): boolean {
  return status === 'succeeded' || status === 'budget_exceeded';
}

/** Whether nothing is left of it to do. One that was stopped has not ended by itself: with its tree it goes on. */
export function hasEnded({ status }: Pick<Run, 'status'>): boolean {
  return status !== 'running' && status !== 'stopped';
}

/** How long executions worked on it, in milliseconds: time in which nobody carried it does not count. */
export function durationOf(
  run: Pick<Run, 'startedAt' | 'endedAt' | 'resumedAt' | 'workedMs'>,
  now: number,
): number {
  const end = run.endedAt === undefined ? now : Date.parse(run.endedAt);
  return (run.workedMs ?? 0) + end - Date.parse(run.resumedAt ?? run.startedAt);
}

/** What a run is before it has done anything. */
export const NO_USAGE: Usage = { turns: 0, toolCalls: 0, inputTokens: 0, outputTokens: 0 };

/** Adds up what the turns did. */
export function usageOf(turns: readonly Turn[]): Usage {
  const sum = (count: (turn: Turn) => number) => turns.reduce((total, turn) => total + count(turn), 0);
  const cacheReadTokens = sum(({ answer }) => answer.usage.cacheReadTokens ?? 0);
  const cacheWriteTokens = sum(({ answer }) => answer.usage.cacheWriteTokens ?? 0);
  const isPriced = turns.length > 0 && turns.every(({ nanoUsd }) => nanoUsd !== undefined);
  return {
    turns: turns.length,
    toolCalls: sum(({ answer }) => answer.calls.length),
    inputTokens: sum(({ answer }) => answer.usage.inputTokens),
    outputTokens: sum(({ answer }) => answer.usage.outputTokens),
    ...(cacheReadTokens > 0 && { cacheReadTokens }),
    ...(cacheWriteTokens > 0 && { cacheWriteTokens }),
    ...(isPriced && { nanoUsd: sum(({ nanoUsd }) => nanoUsd ?? 0) }),
  };
}
