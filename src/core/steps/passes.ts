import { isApproved } from '../records/approval.ts';
import type { ToolCall } from '../records/message.ts';
import { isHooked, isOfTools, type Plan } from '../records/plan.ts';
import { offTreeClock } from '../records/times.ts';
import type { Turn } from '../records/turn.ts';
import { endQuestion } from './ask.ts';
import { toHookedStep, ownResultOf, type HookedStep } from './hooked.ts';
import type { Ended, Planned } from './kind.ts';
import { readDecisions } from './decisions.ts';
import { ofKind, planned } from './kinds.ts';
import type { Outcome } from './outcome.ts';
import { inWaves, previewBytes, type Wave } from './waves.ts';

// A turn with calls that hooks are asked about is carried out in passes: each gives the machine the steps that can be
// taken now, and the turn is looked at again once they are done.

/** The steps of a pass, and what is needed to continue after it. */
export interface Pass {
  waves: Wave[];
  outcomes: Outcome[];
}

/** Whether hooks have put any call that the function for tools carries out before a person. */
async function isAnyAsked(
  { answer, plans, number: turn }: Turn,
  { run, hooks, store }: Pick<Planned, 'run' | 'hooks' | 'store'>,
): Promise<boolean> {
  const decisions = await Promise.all(
    plans.map(async (plan, index) => {
      if (!isHooked(plan) || !isOfTools(plan)) return [];
      const at = { run: run.id, turn, call: index + 1 };
      return readDecisions(at, answer.calls[index]?.name ?? '', hooks, store);
    }),
  );
  return decisions.flat().some(({ decided }) => decided.decision === 'ask');
}

/** Ends a call that a hook put before a person, and whose step has failed. */
async function endInVain(call: ToolCall, plan: Plan, ended: Ended): Promise<void> {
  const { run, turn, call: number, now, store, hooks } = ended;
  const at = { run: run.id, turn, call: number };
  const decisions = await readDecisions(at, call.name, hooks, store);
  if (!decisions.some(({ decided }) => decided.decision === 'ask')) return;
  if (!isApproved(await endQuestion(ended)) || !isOfTools(plan)) return;
  const { text, isError } = await ofKind(plan).toResult(call, ended);
  const startedAt = new Date(now).toISOString();
  await store.saveCallResult(at, { text, isError, startedAt, durationMs: 0 });
}

/**
 * The next steps for the calls of a turn.
 * @param outcomes of the passes before this one, in the same execution
 * @returns undefined where there is nothing more to do
 */
export async function nextPass(
  turn: Turn,
  outcomes: readonly Outcome[],
  context: Omit<Planned, 'call' | 'tool' | 'previewBytes'> & Pick<Ended, 'tools'>,
): Promise<Pass | undefined> {
  const { answer, plans, number } = turn;
  const isAsked = outcomes.length > 0 && (await isAnyAsked(turn, context));

  async function stepOf(plan: Plan, index: number): Promise<HookedStep | undefined> {
    const call = answer.calls[index];
    if (call === undefined || plan.kind === 'done') return undefined;
    const own = outcomes.filter((one) => one.call === index + 1);
    const gates = own.filter(({ gate }) => gate).length;
    const ended = own.length - gates;
    const last = own.at(-1);
    // A call whose step, or whose hook's step, has failed is over; the call of a tool can only have been left to a
    // person.
    const isMade = ended > gates;
    const hasFailed = last?.error !== undefined;
    const at = {
      ...context,
      turn: number,
      call: index + 1,
      tool: call.name,
      previewBytes: previewBytes(plans.length),
    };
    const ending = { ...at, outcome: last, now: offTreeClock(context.now, context.paused) };
    if (isOfTools(plan) ? hasFailed || (ended > 0 && !isAsked) : hasFailed && !isMade) {
      // Everything after it waits for the end of its question, and for its result if that was approved.
      const isOpen = isAsked && hasFailed && isHooked(plan);
      if (isOpen) await endInVain(call, plan, ending);
      return undefined;
    }
    if (!isHooked(plan)) {
      const step = isMade && !isOfTools(plan) ? undefined : await planned(plan).toStep(at);
      return step && { step, isGate: false };
    }
    const result = () => ownResultOf(ofKind(plan), call, ending);
    return toHookedStep(ofKind(plan), plan, at, isMade, result);
  }

  const steps = await Promise.all(
    plans.map(async (plan, index) => ({ plan, next: await stepOf(plan, index) })),
  );
  const taken: (HookedStep & { plan: Plan })[] = [];
  let mayStop = false;
  let isGated = false;
  for (const { plan, next } of steps) {
    if (next === undefined) continue;
    // Everything after a call that may have to wait for a person, or for its hooks, waits for it.
    if (!next.isGate && (isGated || (mayStop && !isOfTools(plan)))) break;
    taken.push({ ...next, plan });
    isGated ||= next.isGate;
    mayStop ||= isHooked(plan);
  }
  if (taken.length === 0) return undefined;
  const gates = taken.filter(({ isGate }) => isGate);
  return {
    waves: inWaves(taken, context.limits),
    outcomes: [...outcomes, ...gates.map(({ step: { call } }) => ({ call, gate: true as const }))],
  };
}
