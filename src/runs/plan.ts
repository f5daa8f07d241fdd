import type { ToolCall } from './message.ts';

/**
 * A plan says what is to be done about one tool call. The machine knows kinds of plans, never tools: a new way to
 * delegate is a new planner. Each kind has a file in `src/steps`, and the compiler reports a missing one.
 */
export type Plan = DonePlan | DelegatePlan | InvokePlan;

/** Nothing to do: the result is known already. It never reaches the machine. */
export interface DonePlan {
  kind: 'done';
  text: string;
  isError: boolean;
}

/** Start a nested execution of the machine and wait for it. */
export interface DelegatePlan {
  kind: 'delegate';
  agent: string;
  task: string;
  /** "" for none. */
  context: string;
}

/** Have a function carry the call out, and wait for it. What the call says is in the turn. */
export interface InvokePlan {
  kind: 'invoke';
  /** What it is about, for display: a path, a command or an address. */
  subject: string;
  /** Whether it can change anything: then it waits for the calls before it, and those after it wait for it. */
  writes: boolean;
  /** Whether it may be made again if it was begun and left no result. */
  isRepeatable: boolean;
  /** The longest that it may take. */
  seconds: number;
}

/** What an agent may delegate, and how. */
export interface DelegationLimits {
  subAgents: string[];
  /** Of the agent itself. */
  depth: number;
  /** Of the whole tree: the root's. */
  maxDepth: number;
  parallel: boolean;
  /** Seconds for each sub-agent; 0: all that is left. */
  timeout: number;
}

/** At most this many of a turn's calls are under way at once: what an inline Map does (Step Functions, "Map state"). */
export const PARALLEL_CALLS = 40;

export function callsAtOnce({ parallel }: DelegationLimits): number {
  return parallel ? PARALLEL_CALLS : 1;
}

/** Turns a call of one tool into a plan. Pure: a planner reads the call and the limits, nothing else. */
export type Planner = (call: ToolCall, limits: DelegationLimits) => Plan;

/** An error result that the model reads and may act on. */
export function refused(text: string): DonePlan {
  return { kind: 'done', text, isError: true };
}
