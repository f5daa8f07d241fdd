import type { Millis } from '../records/times.ts';
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
export function failedResult({ agent, reason }: EndedSubAgent): SubAgentResult {
  const text = `Error: sub-agent "${agent}" failed - ${reason}. You may retry or proceed without this result.`;
  return { text, isError: true };
}

/** A sub-agent's answer. One that ran out of budget has a result too; its caller is told that there might be more. */
export function answerText(run: Run, turns: readonly Turn[]): string {
  const text = resultOf(run, turns);
  const { exceeded } = run;
  if (exceeded === undefined) return text;
  return text === '' ? `[${exceeded}]` : `${text}\n\n[${exceeded}]`;
}

/** How long a run that has ended took. */
export function durationOfEnded(run: Run | undefined): Millis {
  return run === undefined ? 0 : durationOf(run, Date.parse(run.endedAt ?? run.startedAt));
}
