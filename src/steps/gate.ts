import { changesText, denialText, isApproved } from '../runs/approval.ts';
import type { CallKey } from '../runs/call.ts';
import type { ToolCall, ToolResult } from '../runs/message.ts';
import type { Plan } from '../runs/plan.ts';
import { keepStanding, standingAnswer } from '../runs/standing-approval.ts';
import { personWait } from './ask.ts';
import type { CallOf, Ended, Planned, PlannedCall } from './kind.ts';
import type { Step } from './step.ts';

// A call that is made only once a person has approved it.

/** Its step, which asks that person first unless the approval is there; none if it was denied. */
export async function toStepBehindGate(call: PlannedCall, planned: Planned): Promise<Step | undefined> {
  const { store, now, tool, isRepeated } = planned;
  const before = isRepeated ? await store.answer(keyOf(planned)) : undefined;
  const answer = before ?? (await standingAnswer(planned, tool, store, now));
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
  const { run, store, now } = ended;
  const at = keyOf(ended);
  // From now on an approval comes too late, and whoever gives it is told so.
  const answer =
    (await store.answer(at)) ??
    (await store.saveAnswer({ ...at, root: run.root }, { at: new Date(now).toISOString() }));
  if (!isApproved(answer)) {
    return { callId: asked.id, name: asked.name, text: denialText(asked.name, answer), isError: true };
  }
  // Whoever answered may have died before this was kept.
  await keepStanding(run.id, asked.name, answer, store);
  const result = await call.toResult(asked, ended);
  // A function has kept its result together with what was changed.
  if (kind === 'invoke' || answer.arguments === undefined) return result;
  return { ...result, text: `${changesText(asked.arguments, answer.arguments)}${result.text}` };
}

function keyOf({ run, turn, call }: CallOf): CallKey {
  return { run: run.id, turn, call };
}
