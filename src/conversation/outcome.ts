import type { ToolCall, ToolResult } from '../runs/message.ts';
import type { DelegatePlan, Plan } from '../runs/plan.ts';
import type { Run } from '../runs/run.ts';

/** What the machine reports of one call that it acted on: the state's view, without any text of the conversation. */
export interface Outcome {
  call: number;
  /** The error's name as the machine caught it; absent if the nested execution succeeded. */
  error?: string;
  /** The beginning of the error's cause. */
  cause?: string;
}

/** What became of a sub-agent: its run as the store has it, and its final text if it has one. */
export interface ChildEnd {
  run: Run | undefined;
  text: string | undefined;
  outcome: Outcome | undefined;
  /** Seconds that it was given. */
  timeout: number;
}

/** The result of a call that was answered without the machine. */
export function doneResult(call: ToolCall, plan: Exclude<Plan, DelegatePlan>): ToolResult {
  return { callId: call.id, name: call.name, text: plan.text, isError: plan.isError };
}

/** The result of a delegation. A failure is put into words for the model, which decides how to go on. */
export function delegateResult(call: ToolCall, plan: DelegatePlan, end: ChildEnd): ToolResult {
  const result = { callId: call.id, name: call.name };
  if (end.text !== undefined)
    return { ...result, text: withLimit(end.text, end.run?.exceeded), isError: false };
  const text = `Error: sub-agent "${plan.agent}" failed - ${reasonOf(end)}. You may retry or proceed without this result.`;
  return { ...result, text, isError: true };
}

/** A sub-agent that a budget ended has a result all the same, and its parent is told that there might be more. */
function withLimit(text: string, exceeded: string | undefined): string {
  if (exceeded === undefined) return text;
  return text === '' ? `[${exceeded}]` : `${text}\n\n[${exceeded}]`;
}

/** Why a run has no answer, in the words that its parent's model reads; "" if it has one. */
export function closingReason({
  status,
  timeout,
  failure,
}: Pick<Run, 'status' | 'timeout' | 'failure'>): string {
  return status === 'timed_out' ? `timeout after ${timeout}s` : (failure?.message ?? '');
}

/** The run's own record knows best; the machine's view stands in where the run did not come to write one. */
function reasonOf({ run, outcome, timeout }: ChildEnd): string {
  const timedOut = outcome?.error === 'States.Timeout' || outcome?.error === 'States.HeartbeatTimeout';
  if (run?.status === 'timed_out' || timedOut) return `timeout after ${timeout}s`;
  if (run?.failure !== undefined) return run.failure.message;
  if (run?.status === 'stopped') return 'it was stopped';
  return [outcome?.error ?? 'no result', outcome?.cause].filter(Boolean).join(': ');
}
