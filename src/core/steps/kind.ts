import type { Instant, Millis, TreeInstant } from '../records/times.ts';
import type { Cost } from '../machine/costs.ts';
import type { ToolCall, ToolResult } from '../records/message.ts';
import type { Hook } from '../records/hook.ts';
import type { DelegationLimits, Plan } from '../records/plan.ts';
import type { RunStore } from '../records/ports.ts';
import type { Run } from '../records/run.ts';
import type { SpanKind } from '../records/spans.ts';
import type { OwnTools } from '../tool-contracts/own-tools.ts';
import type { Outcome } from './outcome.ts';
import type { Step } from './step.ts';

/** Everything that the loop and the machine need to know about one kind of plan. */
export interface Kind<P extends Plan> {
  /** How many adjacent calls like it may be under way at once: one, if it can change what they look at. */
  atOnce(plan: P): number;
  /** The run that the plan starts, which counts towards the limit of the tree; undefined if it starts none. */
  startedRun(plan: P, at: CallOf): string | undefined;
  /** The cost that a step adds to the execution, by its end; absent if the machine never gets one. */
  costs?: { answered: Cost; failed: Cost };
  /** The most that a step adds where that depends on the plan; absent: the cost of one that fails. */
  worstCost?(plan: P): Cost;
  /** The machine's input for the plan: references, never texts. Undefined if there is nothing (more) to do. */
  toStep(plan: P, planned: Planned): Promise<Step | undefined>;
  /** The result of the call for the model, once nothing more will happen. */
  toResult(call: ToolCall, plan: P, ended: Ended): Promise<ToolResult>;
}

/** A plan together with its kind. */
export interface PlannedCall {
  startedRun(at: CallOf): string | undefined;
  atOnce: number;
  /** The most that it adds to an execution's history; undefined if the machine is not asked to act on it. */
  worstCost: Cost | undefined;
  toStep(planned: Planned): Promise<Step | undefined>;
  toResult(call: ToolCall, ended: Ended): Promise<ToolResult>;
}

/** Which call of which run it is. */
export interface CallOf {
  run: Run;
  turn: number;
  /** From 1. */
  call: number;
}

export interface CallContext extends CallOf {
  limits: DelegationLimits;
  store: RunStore;
  /** Of the conversation; absent: none. */
  hooks?: Hook[] | undefined;
}

/** A call that the machine is about to act on. */
export interface Planned extends CallContext {
  /** The tool's name as the model called it. */
  tool: string;
  /** When it must be done. */
  deadline: TreeInstant;
  now: TreeInstant;
  /** How long the clock of the tree has stood still by now. */
  paused: Millis;
  /** How long the tree may still wait for people; undefined: its clock never stands still. */
  patienceLeft?: Millis | undefined;
  /** Bytes, as JSON, for previews in the console. */
  previewBytes: number;
  /** Whether the turn was saved before, so that part of it may have happened. */
  isRepeated: boolean;
}

/** A call that the machine has reported on, or whose execution ended before it could. */
export interface Ended extends CallContext {
  /** With those that are ways to delegate. */
  tools: Pick<OwnTools, 'planned'>;
  outcome: Outcome | undefined;
  now: number;
  /** Notes the time for which the run has waited because of the call. @param from absent: since the call was made */
  waited?: (kind: SpanKind, to: Instant, from?: Instant) => void;
}
