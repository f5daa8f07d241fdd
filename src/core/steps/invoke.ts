import { shortest } from '../records/times.ts';
import { INVOKE, ITERATION, SUCCEED, sum } from '../machine/costs.ts';
import { secondsUntil } from '../records/deadline.ts';
import type { ToolCall, ToolResult } from '../records/message.ts';
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
    const { run, turn, store, waited } = ended;
    const kept = await store.callResult({ run: run.id, turn, call: ended.call });
    if (kept === undefined) {
      waited?.('tool', ended.now);
      return { callId: call.id, name: call.name, text: failureOf(call, plan, ended), isError: true };
    }
    const { text, isError, startedAt, durationMs, whole, skill, attachments, nanoUsd } = kept;
    waited?.('tool', Date.parse(startedAt) + durationMs, Date.parse(startedAt));
    const more = defined({ whole, skill, attachments, nanoUsd });
    return { callId: call.id, name: call.name, text, isError, ...more };
  },
} satisfies Kind<InvokePlan>;

/** The function left no result: it ran out of time, or died at every attempt. */
function failureOf({ name }: ToolCall, plan: InvokePlan, { outcome }: Ended): ToolResult['text'] {
  const isLate = outcome?.error === 'States.Timeout' || outcome?.error === 'Sandbox.Timedout';
  const reason = isLate ? timeoutText(name, plan.seconds) : `Error: ${name} failed - ${outcomeText(outcome)}`;
  return plan.isRepeatable ? reason : `${reason}. ${UNKNOWN_OUTCOME}`;
}
