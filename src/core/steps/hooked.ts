import { changesText, denialText, isApproved } from '../records/approval.ts';
import type { CallKey } from '../records/call.ts';
import { secondsUntil } from '../records/deadline.ts';
import { decidedOf, hookDenial, resultAfter, type Decided, type HookDecision } from '../records/hook.ts';
import { isAboutTool } from '../records/hooked-tool.ts';
import type { ToolCall, ToolResult } from '../records/message.ts';
import { isGated, isOfTools, type Plan } from '../records/plan.ts';
import { preview } from '../records/preview.ts';
import type { Answer } from '../records/question.ts';
import { offTreeClock, seconds, shortest } from '../records/times.ts';
import { keepStanding, standingAnswer } from '../records/standing-approval.ts';
import { readDecisions } from './decisions.ts';
import { endQuestion, personWait } from './ask.ts';
import type { CallContext, Ended, Planned, PlannedCall } from './kind.ts';
import type { Step } from './step.ts';
import { defined } from '../../defined.ts';

// Calls that hooks are asked about. The tool function asks them: within the call if it carries that out itself, and
// otherwise in a step of its own before the call's, and in one after it.

/** Where such a call stands. */
interface Stand {
  /** Of a person who was asked because of it. */
  answer: Answer | undefined;
  /** The arguments that this person put; absent: none. */
  edited: ToolCall['arguments'] | undefined;
  before: Decided;
  after: Decided;
}

async function standOf(tool: string, { run, turn, call, store, hooks }: CallContext): Promise<Stand> {
  const at: CallKey = { run: run.id, turn, call };
  const [answer, decisions] = await Promise.all([store.answer(at), readDecisions(at, tool, hooks, store)]);
  const edited = isApproved(answer) ? answer?.arguments : undefined;
  const about = { tool, call, isEdited: edited !== undefined };
  return {
    answer,
    edited,
    before: decidedOf({ ...about, on: 'before_call' }, hooks, decisions),
    after: decidedOf({ ...about, on: 'after_call', isEdited: false }, hooks, decisions),
  };
}

/** A step, and whether it only prepares that of the call, or looks at its result. */
export interface HookedStep {
  step: Step;
  isGate: boolean;
}

/**
 * The next step of a call; undefined if there is nothing more to do.
 * @param isMade whether the call's own step has been carried out
 * @param ownResult what its model would read, once it is made
 */
export async function toHookedStep(
  call: PlannedCall,
  plan: Plan,
  planned: Planned,
  isMade: boolean,
  ownResult: () => Promise<ToolResult>,
): Promise<HookedStep | undefined> {
  const { tool, store, now, deadline } = planned;
  const at = offTreeClock(now, planned.paused);
  const stand = await standOf(tool, planned);
  const { before, after } = stand;
  const answer = stand.answer ?? (isGated(plan) ? await standingAnswer(planned, tool, store, at) : undefined);
  if (before.denied !== undefined || after.denied !== undefined) return undefined;
  const isAsked = isGated(plan) || before.isAsked || after.isAsked;
  if (isAsked && answer !== undefined && !isApproved(answer)) return undefined;
  const wait = personWait(planned);
  if (isOfTools(plan)) {
    const step = await call.toStep(planned);
    if (step === undefined || step.kind === 'ask') return undefined;
    const allowed = {
      ...step,
      timeout: shortest(seconds(step.timeout + secondsFor(planned)), secondsUntil(deadline, now)),
    };
    const isOpen = isAsked && answer === undefined;
    return { step: isOpen ? { ...allowed, gate: true, wait } : allowed, isGate: false };
  }
  const subject = preview(tool, planned.previewBytes);
  const hookStep: Step = { kind: 'invoke', call: planned.call, tool, subject, timeout: secondsFor(planned) };
  const askStep: Step = { kind: 'ask', call: planned.call, tool, subject, wait };
  if (!isMade) {
    if (isGated(plan) && answer === undefined) return { step: askStep, isGate: true };
    if (before.open.length > 0) return { step: hookStep, isGate: true };
    if (before.isAsked && answer === undefined) return { step: askStep, isGate: true };
    const step = await call.toStep(planned);
    if (step !== undefined) return { step, isGate: false };
  }
  if (after.open.length > 0) {
    const { text, isError, spawned } = await ownResult();
    const startedAt = new Date(at).toISOString();
    const key: CallKey = { run: planned.run.id, turn: planned.turn, call: planned.call };
    await store.withholdResult(key, { text, isError, ...defined({ spawned }), startedAt, durationMs: 0 });
    return { step: hookStep, isGate: true };
  }
  return after.isAsked && answer === undefined ? { step: askStep, isGate: true } : undefined;
}

/** A few seconds more than its hooks have. */
function secondsFor({ hooks = [], tool }: Planned) {
  const about = hooks.filter((hook) => isAboutTool(hook, tool));
  return seconds(about.reduce((sum, hook) => sum + hook.seconds, SPARE_SECONDS));
}

/** For the store, and the start of the function, beside what hooks have. */
export const SPARE_SECONDS = 5;

/** The result of such a call, as its model reads it. */
export async function toHookedResult(
  call: PlannedCall,
  plan: Plan,
  asked: ToolCall,
  ended: Ended,
): Promise<ToolResult> {
  const { run, turn, store } = ended;
  const at: CallKey = { run: run.id, turn, call: ended.call };
  const denied = (text: string): ToolResult => ({ callId: asked.id, name: asked.name, text, isError: true });
  const startedAt = new Date(ended.now).toISOString();
  const refused = async (decided: HookDecision): Promise<ToolResult> => {
    const text = hookDenial(asked.name, decided);
    // Whatever a late function makes of the call, it ended as the model is told now.
    if (isOfTools(plan) && ended.outcome !== undefined) {
      const result = { text, isError: true, failure: 'permission_denied', startedAt, durationMs: 0 } as const;
      await store.saveCallResult(at, result);
    }
    return denied(text);
  };
  const { before, after, edited } = await standOf(asked.name, ended);
  const kept = isOfTools(plan) ? await store.callResult(at) : undefined;
  if (kept === undefined && before.denied !== undefined) return refused(before.denied);
  if (isGated(plan) || before.isAsked || after.isAsked) {
    const answer = await endQuestion(ended);
    if (!isApproved(answer)) {
      // One whose result was denied has been made, and has cost something.
      const { nanoUsd } = (await store.withheldResult(at)) ?? {};
      return { ...denied(denialText(asked.name, answer)), ...defined({ nanoUsd }) };
    }
    if (isGated(plan)) await keepStanding(run.id, asked.name, answer, store);
  }
  const [unasked] = [...before.open, ...(isOfTools(plan) ? [] : after.open)];
  if (kept === undefined && unasked !== undefined) {
    const [hook, { name, on }] = unasked;
    const own = {
      hook: name,
      on,
      decision: 'deny',
      fault: 'it was not asked',
      at: startedAt,
      durationMs: 0,
    } as const;
    const key = { ...at, hook, ...(on === 'before_call' && edited !== undefined && { isEdited: true }) };
    // From now on, a late function lets nothing through.
    const decided = ended.outcome === undefined ? own : await store.saveDecision(key, own);
    if (decided.decision === 'deny') return refused(decided);
  }
  const own = await call.toResult(asked, ended);
  // The function has kept its result as it is read.
  if (isOfTools(plan)) return own;
  const changed = resultAfter(asked.name, after);
  if (changed !== undefined) return { ...denied(changed.text), isError: changed.isError };
  const withheld = await store.withheldResult(at);
  return { ...own, text: withheld?.text ?? `${changesOf(asked, edited, before)}${own.text}` };
}

/** What its model would read of a call that was made elsewhere, before hooks are asked about it. */
export async function ownResultOf(call: PlannedCall, asked: ToolCall, ended: Ended): Promise<ToolResult> {
  const { before, edited } = await standOf(asked.name, ended);
  const own = await call.toResult(asked, ended);
  return { ...own, text: `${changesOf(asked, edited, before)}${own.text}` };
}

function changesOf(asked: ToolCall, edited: Stand['edited'], { replaced }: Decided): string {
  const changed = replaced?.arguments ?? edited;
  if (changed === undefined) return '';
  return changesText(asked.arguments, changed, replaced && `hook ${JSON.stringify(replaced.hook)}`);
}
