import { ITERATION, NESTED_EXECUTION, SUCCEED, sum } from '../machine/costs.ts';
import { childDeadline, secondsUntil } from '../runs/deadline.ts';
import type { ToolCall, ToolResult } from '../runs/message.ts';
import type { DelegatePlan } from '../runs/plan.ts';
import { preview } from '../runs/preview.ts';
import { childOf } from '../runs/run-id.ts';
import { hasAnswer, hasEnded, resultOf, type Run } from '../runs/run.ts';
import type { Ended, Kind, Planned } from './kind.ts';
import { type Outcome, outcomeText } from './outcome.ts';
import type { DelegateStep } from './step.ts';

/** A sub-agent: a nested execution of the machine that its caller waits for. */
export const DELEGATE = {
  mayRunBeside: () => true,
  startedRun: (plan, { run, turn, call }) => childOf(run, turn, call, plan.agent).id,
  costs: {
    answered: sum(ITERATION, NESTED_EXECUTION),
    failed: sum(ITERATION, NESTED_EXECUTION, SUCCEED),
  },

  async toStep(plan, planned) {
    const { run, turn, call, store, isRepeated } = planned;
    if (!isRepeated) return toDelegateStep(plan, planned, 1);
    const child = await store.run(childOf(run, turn, call, plan.agent).id);
    if (child !== undefined && hasEnded(child)) return undefined;
    // The name of an execution stays taken for 90 days, however it ended; this one is new.
    return toDelegateStep(plan, planned, Math.max(run.holder, (child?.holder ?? 0) + 1));
  },

  async toResult(call, plan, ended) {
    const { id } = childOf(ended.run, ended.turn, ended.call, plan.agent);
    const { store } = ended;
    const [child, newest] = await Promise.all([store.run(id), store.newestTurn(id)]);
    if (child === undefined || !hasAnswer(child)) return failedResult(call, plan, child, ended);
    // An answer is in the last turn; what a budget left of one may be in any turn.
    const turns =
      child.status === 'succeeded' ? (newest === undefined ? [] : [newest]) : await store.turns(id);
    const text = withLimit(resultOf(child, turns), child.exceeded);
    return { callId: call.id, name: call.name, text, isError: false };
  },
} satisfies Kind<DelegatePlan>;

/** @param holder which execution of the sub-agent's run it is */
export function toDelegateStep(
  plan: DelegatePlan,
  {
    run,
    turn,
    call,
    limits,
    deadline,
    now,
    previewBytes,
  }: Omit<Planned, 'run' | 'store' | 'isRepeated'> & {
    run: Pick<Run, 'id' | 'path'>;
  },
  holder: number,
): DelegateStep {
  const latest = childDeadline(now, deadline);
  const left = secondsUntil(latest, now);
  return {
    kind: 'delegate',
    call,
    run: childOf(run, turn, call, plan.agent).id,
    holder,
    agent: plan.agent,
    task: preview(plan.task, previewBytes),
    depth: limits.depth + 1,
    deadline: latest,
    timeout: limits.timeout > 0 ? Math.min(limits.timeout, left) : left,
  };
}

/** Puts a failure into words for the model, which decides how to go on. */
function failedResult(
  call: ToolCall,
  { agent }: DelegatePlan,
  child: Run | undefined,
  { outcome, limits }: Ended,
): ToolResult {
  const reason = reasonOf(child, outcome, limits.timeout);
  const text = `Error: sub-agent "${agent}" failed - ${reason}. You may retry or proceed without this result.`;
  return { callId: call.id, name: call.name, text, isError: true };
}

/** A sub-agent that ran out of budget still has a result; its parent is told that there might have been more. */
function withLimit(text: string, exceeded: string | undefined): string {
  if (exceeded === undefined) return text;
  return text === '' ? `[${exceeded}]` : `${text}\n\n[${exceeded}]`;
}

/** The run's own record takes precedence; the machine's view stands in if the run never wrote one. */
function reasonOf(child: Run | undefined, outcome: Outcome | undefined, seconds: number): string {
  const timedOut = outcome?.error === 'States.Timeout' || outcome?.error === 'States.HeartbeatTimeout';
  if (child?.status === 'timed_out' || timedOut) return `timeout after ${child?.timeout ?? seconds}s`;
  if (child?.failure !== undefined) return child.failure.message;
  if (child?.status === 'stopped') return 'it was stopped';
  return outcomeText(outcome);
}
