import { defined } from '../../defined.ts';
import { shownArguments } from '../records/approval.ts';
import type { CallKey } from '../records/call.ts';
import { decidedOf, type KeptDecision } from '../records/hook.ts';
import type { Opened } from '../records/opened.ts';
import { isGated } from '../records/plan.ts';
import { preview } from '../records/preview.ts';
import type { Approval, Question } from '../records/question.ts';
import type { RunReads } from '../records/ports.ts';
import { readDecisions } from '../steps/decisions.ts';
import type { Turn } from '../records/turn.ts';

/** Of a person who decides in a hook's place: each time anew. */
const CHOICES = ['approve', 'deny'];

/** What a person is asked because a hook put something before one; undefined if none did. */
export async function hookedQuestion(
  at: CallKey,
  turn: Turn,
  store: Pick<RunReads, 'decision' | 'opened' | 'withheldResult'>,
): Promise<Pick<Question, 'question' | 'choices' | 'approval'> | undefined> {
  const opened = await store.opened(at.run);
  const tool = turn.answer.calls[at.call - 1]?.name ?? '';
  const decisions = await readDecisions(at, tool, opened?.hooks, store);
  const asking = decisions.findLast(({ decided }) => decided.decision === 'ask');
  if (asking === undefined || opened === undefined) return undefined;
  const asked = await askedIn(at, turn, opened, decisions, store);
  const { hook, reason } = asking.decided;
  const why = `(hook ${JSON.stringify(hook)}${reason === undefined ? '' : `: ${preview(reason)}`})`;
  const { about, shown, what } = asked;
  return {
    question: `${what} ${why}`,
    choices: [...CHOICES],
    approval: { tool: tool || 'answer', ...defined({ about }), arguments: shownArguments(shown) },
  };
}

/** What a person is asked to approve, whole: its question has no long texts. Undefined if that is not there any more. */
export async function wholeApproval(
  at: CallKey,
  store: Pick<RunReads, 'decision' | 'opened' | 'turn' | 'withheldResult' | 'withheldTurn'>,
): Promise<Approval['arguments'] | undefined> {
  const turn = (await store.turn(at.run, at.turn)) ?? (await store.withheldTurn(at.run, at.turn));
  const call = turn?.answer.calls[at.call - 1];
  const plan = turn?.plans[at.call - 1];
  if (plan !== undefined && isGated(plan)) return call?.arguments;
  const opened = await store.opened(at.run);
  if (turn === undefined || opened === undefined) return undefined;
  const decisions = await readDecisions(at, call?.name ?? '', opened.hooks, store);
  return (await askedIn(at, turn, opened, decisions, store)).shown;
}

async function askedIn(
  at: CallKey,
  { answer, plans }: Turn,
  { hooks }: Opened,
  decisions: readonly KeptDecision[],
  store: Pick<RunReads, 'withheldResult'>,
): Promise<Pick<Approval, 'about'> & { shown: Approval['arguments']; what: string }> {
  const call = answer.calls[at.call - 1];
  const tool = call?.name ?? '';
  const replaced = (on: 'before_call' | 'after_call' | 'before_answer') =>
    decidedOf({ on, tool, call: at.call, isEdited: false }, hooks, decisions).replaced;
  if (call === undefined) {
    const text = replaced('before_answer')?.text ?? answer.text;
    return { about: 'text', shown: { text }, what: `Allow the answer: ${preview(text)}?` };
  }
  const withheld = await store.withheldResult(at);
  if (withheld !== undefined) {
    const result = replaced('after_call')?.result ?? withheld.text;
    return { about: 'result', shown: { result }, what: `Let the agent read the result of ${tool}?` };
  }
  const given = replaced('before_call')?.arguments;
  const plan = plans[at.call - 1];
  const subject = plan?.kind === 'invoke' && given === undefined ? plan.subject : '';
  const what = subject === '' ? `Allow ${tool}?` : `Allow ${tool}: ${preview(subject)}?`;
  return { shown: given ?? call.arguments, what };
}
