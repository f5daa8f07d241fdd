import type { Millis } from '../records/times.ts';
import { closingReason } from '../records/closing-reason.ts';
import { refused, type Plan } from '../records/plan.ts';
import { durationOf, type Run } from '../records/run.ts';
import { resultOf, type Turn } from '../records/turn.ts';
import { RefusedCall } from './arguments.ts';
import type { EndedSubAgent, SubAgentResult } from './planned-tool.ts';

/** Plans a call with a planner that throws a `RefusedCall` at any fault in it. */
export function planOrRefuse(plan: () => Plan): Plan {
  try {
    return plan();
  } catch (thrown) {
    if (!(thrown instanceof RefusedCall)) throw thrown;
    return refused(`Error: ${thrown.message}`);
  }
}

/** The result of a sub-agent without an answer, for its caller's model. */
export function failedResult({ agent, reason }: Pick<EndedSubAgent, 'agent' | 'reason'>): SubAgentResult {
  const text = `Error: sub-agent "${agent}" failed - ${reason}. You may retry or proceed without this result.`;
  return { text, isError: true };
}

/**
 * A sub-agent's answer. Its caller is told if there might be more: one that ran out of budget has a result too, and an
 * answer may have been cut or refused.
 */
export function answerText(run: Run, turns: readonly Turn[]): string {
  return withReason(resultOf(run, turns), closingReason(run));
}

/** @param reason why a text is not all that there might be; "" if it is */
export function withReason(text: string, reason: string): string {
  return [text, reason && `[${reason}]`].filter(Boolean).join('\n\n');
}

/** How long a run that has ended took. */
export function durationOfEnded(run: Run | undefined): Millis {
  return run === undefined ? 0 : durationOf(run, Date.parse(run.endedAt ?? run.startedAt));
}
