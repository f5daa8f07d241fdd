import type { Amounts } from './ledger.ts';
import type { ModelResponse, OpenAIApi, ReasoningEffort, ToolDefinition, ToolResult } from './message.ts';
import type { Plan } from './plan.ts';

/**
 * What is kept of a run. A run is one conversation of one agent: one execution of the machine. Everything here is
 * plain JSON, written and read by `src/store/runs.ts`.
 */

/** `budget_exceeded` is a normal end: a limit of the tree was reached, and what there is so far is the result. */
export type RunStatus = 'running' | 'succeeded' | 'budget_exceeded' | 'failed' | 'timed_out' | 'stopped';

/** The light record of a run: enough to list it and to draw the tree it belongs to, without any text of it. */
export interface Run {
  id: string;
  /** The run at the top of the tree; its own id for the top itself. */
  root: string;
  /** The call that asked for this run; absent at the top. */
  parent?: CallReference;
  agent: string;
  /** `provider/model-name`; "" where the agent could not be loaded. */
  model: string;
  /** 0 at the top. */
  depth: number;
  status: RunStatus;
  /** ISO 8601, UTC. */
  startedAt: string;
  endedAt?: string;
  /** The execution that carries the run now; a resumed run gets another one. */
  execution: string;
  /** Seconds that it was given. */
  timeout: number;
  usage: Usage;
  /** The model's own word for why its last answer ended. */
  stopReason?: string;
  /** Which limit was reached, in words, where the status is `budget_exceeded`. */
  exceeded?: string;
  failure?: Failure;
}

/** Which run something happens in, as events and logs name it. */
export interface RunIdentity {
  run: string;
  /** The run at the top of its tree. */
  root: string;
  agent: string;
  /** `provider/model-name`; "" where the agent could not be loaded. */
  model: string;
  depth: number;
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
}

/** What a caller may set in place of the agent's file; none of it reaches a sub-agent. */
export interface Overrides {
  model?: string;
  skill?: string;
  workdir?: string;
  /** Seconds for the whole run. */
  timeout?: number;
  /** For the run with everything below it. */
  budget?: Partial<Amounts>;
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
  temperature: number;
  maxTokens: number;
  reasoningEffort?: ReasoningEffort;
  api?: OpenAIApi;
  tools: ToolDefinition[];
  delegation: DelegationLimits;
  /** The limits of the whole tree, the root's; absent where it has none. */
  budget?: Amounts;
  /** Absent where the agent wants none. */
  retry?: RetryPolicy;
  /** What the answer is appended to, and above how many entries to warn (0: never); absent where the agent keeps none. */
  memory?: { name: string; maxEntries: number };
  /** Seconds that the caller or the agent sets for the run; 0 where neither does. */
  timeout: number;
}

/** How often and when a request is sent again that a model's API failed to answer. */
export interface RetryPolicy {
  maxRetries: number;
  backoff: 'exponential' | 'linear' | 'fixed';
  initialDelayMs: number;
  maxDelayMs: number;
}

/** What an agent may hand on, and how. */
export interface DelegationLimits {
  subAgents: string[];
  /** Of the agent itself. */
  depth: number;
  /** Of the whole tree: the root's. */
  maxDepth: number;
  parallel: boolean;
  /** Seconds for each sub-agent; 0: what is left. */
  timeout: number;
}

/** One turn: what the model was told last, what it answered, and what is to be done about it. Written once. */
export interface Turn {
  number: number;
  /** The results of the previous turn's calls, in call order; none for the first turn. */
  results: ToolResult[];
  answer: ModelResponse;
  /** One for each call of the answer, in call order. */
  plans: Plan[];
  /** ISO 8601, UTC: when the answer was there. */
  at: string;
  latencyMs: number;
  /** What it cost when it was made, in billionths of a dollar. Absent: the price was not known. */
  nanoUsd?: number;
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

export function identityOf({ id, root, agent, model, depth }: Run): RunIdentity {
  return { run: id, root, agent, model, depth };
}

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
