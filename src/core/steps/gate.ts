import { changesText, denialText, isApproved } from '../records/approval.ts';
import type { ToolCall, ToolResult } from '../records/message.ts';
import type { Plan } from '../records/plan.ts';
import { keepStanding, standingAnswer } from '../records/standing-approval.ts';
import { offTreeClock } from '../records/times.ts';
import { endQuestion, personWait } from './ask.ts';
import type { Ended, Planned, PlannedCall } from './kind.ts';
import type { Step } from './step.ts';

// A call that is made only once a person has approved it.

/** Its step, which asks that person first unless the approval is there; none if it was denied. */
export async function toStepBehindGate(call: PlannedCall, planned: Planned): Promise<Step | undefined> {
  const { run, turn, call: number, store, now, paused, tool, isRepeated } = planned;
  const before = isRepeated ? await store.answer({ run: run.id, turn, call: number }) : undefined;
  const answer = before ?? (await standingAnswer(planned, tool, store, offTreeClock(now, paused)));
  if (answer !== undefined && !isApproved(answer)) return undefined;
  const step = await call.toStep(planned);
  if (answer !== undefined || step === undefined || step.kind === 'ask') return step;
  return { ...step, gate: true, wait: personWait(planned) };
}

/** Its result, which tells the model what a person decided, and what they changed. */
export async function toResultBehindGate(
  call: PlannedCall,
  { kind }: Plan,
  asked: ToolCall,
  ended: Ended,
): Promise<ToolResult> {
  const { run, store } = ended;
  const answer = await endQuestion(ended);
  if (!isApproved(answer)) {
    return { callId: asked.id, name: asked.name, text: denialText(asked.name, answer), isError: true };
  }
  // The process that took the answer may have died before it wrote this.
  await keepStanding(run.id, asked.name, answer, store);
  const approvedAt = Date.parse(answer.at);
  const waited: Ended['waited'] = (what, to, from = approvedAt) => ended.waited?.(what, to, from);
  const result = await call.toResult(asked, { ...ended, waited });
  // A function has kept its result together with the changes.
  if (kind === 'invoke' || answer.arguments === undefined) return result;
  return { ...result, text: `${changesText(asked.arguments, answer.arguments)}${result.text}` };
}
