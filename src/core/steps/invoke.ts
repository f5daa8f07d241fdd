import { shortest } from '../records/times.ts';
import { INVOKE, ITERATION, SUCCEED, sum } from '../machine/costs.ts';
import { secondsUntil } from '../records/deadline.ts';
import type { CallResult } from '../records/call.ts';
import type { ToolCall } from '../records/message.ts';
import type { InvokePlan } from '../records/plan.ts';
import { preview } from '../records/preview.ts';
import type { Ended, Kind } from './kind.ts';
import { timeoutText, UNKNOWN_OUTCOME } from './lost-call.ts';
import { outcomeText } from './outcome.ts';
import { defined } from '../../defined.ts';

/** A call that a function carries out and saves the result of before the machine goes on. */
export const INVOKE_TOOL = {
  atOnce: ({ writes }) => (writes ? 1 : Infinity),
  startedRun: () => undefined,
  costs: { answered: sum(ITERATION, INVOKE), failed: sum(ITERATION, INVOKE, SUCCEED) },

  async toStep(
    { subject, seconds, by },
    { run, turn, call, tool, store, deadline, now, previewBytes, isRepeated },
  ) {
    const isKept = isRepeated && (await store.callResult({ run: run.id, turn, call })) !== undefined;
    if (isKept) return undefined;
    return {
      kind: by ?? 'invoke',
      call,
      tool,
      subject: preview(subject, previewBytes),
      timeout: shortest(seconds, secondsUntil(deadline, now)),
    };
  },

  async toResult(call, plan, ended) {
    const { run, turn, call: number, store, waited, now, outcome } = ended;
    const at = { run: run.id, turn, call: number };
    const found = await store.callResult(at);
    const kept = found ?? failureOf(call, plan, ended);
    // Whatever a late function makes of the call, it ended as the model is told now.
    const { text, isError, startedAt, durationMs, whole, skill, attachments, nanoUsd } =
      found === undefined && outcome !== undefined ? await store.saveCallResult(at, kept) : kept;
    if (found === undefined) waited?.('tool', now);
    else waited?.('tool', Date.parse(startedAt) + durationMs, Date.parse(startedAt));
    const more = defined({ whole, skill, attachments, nanoUsd });
    return { callId: call.id, name: call.name, text, isError, ...more };
  },
} satisfies Kind<InvokePlan>;

/** The function left no result: it ran out of time, or died at every attempt. */
function failureOf({ name }: ToolCall, plan: InvokePlan, { outcome, now }: Ended): CallResult {
  const isLate = outcome?.error === 'States.Timeout' || outcome?.error === 'Sandbox.Timedout';
  const reason = isLate ? timeoutText(name, plan.seconds) : `Error: ${name} failed - ${outcomeText(outcome)}`;
  return {
    text: plan.isRepeatable ? reason : `${reason}. ${UNKNOWN_OUTCOME}`,
    isError: true,
    failure: isLate ? 'timeout' : plan.isRepeatable ? 'fault' : 'outcome_unknown',
    startedAt: new Date(now).toISOString(),
    durationMs: 0,
  };
}
