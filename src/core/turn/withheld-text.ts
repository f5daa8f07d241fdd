import { defined } from '../../defined.ts';
import { denialText, isApproved } from '../records/approval.ts';
import { decidedOf, hookDenial } from '../records/hook.ts';
import { hasTextHooks, type Opened } from '../records/opened.ts';
import { offTreeClock, seconds } from '../records/times.ts';
import type { Turn } from '../records/turn.ts';
import { endQuestion, personWait } from '../steps/ask.ts';
import { readDecisions } from '../steps/decisions.ts';
import { SPARE_SECONDS } from '../steps/hooked.ts';
import type { Planned } from '../steps/kind.ts';
import type { Outcome } from '../steps/outcome.ts';
import type { Step } from '../steps/step.ts';
import type { CheckedAnswer } from './structured-answer.ts';

// Texts of a model that hooks are asked about before anybody is shown them. The turn is made and charged, and kept apart
// until they have decided; only then is it a turn of its run.

/** What a step for the text of a turn has in place of a call's number. */
const TEXT = 0;

/** What is denied, in place of a tool's name. */
const THE_ANSWER = 'the answer';

interface LookingAt {
  opened: Opened;
  outcomes: readonly Outcome[];
  /** As for a step of a call. */
  planned: Pick<Planned, 'deadline' | 'now' | 'paused' | 'patienceLeft' | 'run' | 'store'>;
  /** Holds a text that is to be JSON against its schema; undefined if it may be any. */
  check(answer: Turn['answer']): CheckedAnswer | undefined;
}

/** Whether hooks are asked about a turn: about every answer, and every text beside calls. */
export function isLookedAt({ answer }: Turn, opened: Opened): boolean {
  const isAnswer = answer.calls.length === 0;
  return hasTextHooks(opened) && (isAnswer || answer.text.trim() !== '');
}

/**
 * What becomes of the turn with a number, if it was made and is kept apart.
 * @returns the turn, as hooks have left it; or the step in which hooks or a person are asked; undefined if there is none
 */
export async function lookAt(
  number: number,
  looking: LookingAt,
): Promise<{ turn: Turn } | { step: Step } | undefined> {
  const { opened, outcomes, planned } = looking;
  const { run, store } = planned;
  const withheld = await store.withheldTurn(run.id, number);
  if (withheld === undefined) return undefined;
  const at = { run: run.id, turn: number, call: TEXT };
  const decisions = await readDecisions(at, '', opened.hooks, store);
  const about = { on: 'before_answer', tool: '', call: TEXT, isEdited: false } as const;
  const decided = decidedOf(about, opened.hooks, decisions);
  const { denied, replaced, isAsked, open } = decided;
  const [next] = open;
  const hasFailed = outcomes.some(({ call, error }) => call === TEXT && error !== undefined);
  const step = { call: TEXT, tool: THE_ANSWER, subject: '' };
  if (next !== undefined) {
    if (!hasFailed) {
      const timeout = seconds(open.reduce((sum, [, hook]) => sum + hook.seconds, SPARE_SECONDS));
      return { step: { kind: 'invoke', ...step, timeout } };
    }
    const failed = { hook: next[1].name, fault: 'it was not asked' };
    return { turn: deniedTurn(withheld, hookDenial(THE_ANSWER, failed)) };
  }
  if (denied !== undefined) return { turn: deniedTurn(withheld, hookDenial(THE_ANSWER, denied)) };
  const text = replaced?.text ?? withheld.answer.text;
  if (isAsked) {
    const answer = await store.answer(at);
    if (answer === undefined && !hasFailed) {
      const wait = personWait(planned);
      return { step: { kind: 'ask', ...step, wait } };
    }
    const now = offTreeClock(planned.now, planned.paused);
    const ended = answer ?? (await endQuestion({ ...at, run, store, now }));
    if (!isApproved(ended)) return { turn: deniedTurn(withheld, denialText(THE_ANSWER, ended)) };
  }
  return { turn: replaced === undefined ? withheld : withText(withheld, text, looking) };
}

/** A turn whose text nobody is shown, nor its model any more; its calls are made. */
function deniedTurn(turn: Turn, denied: string): Turn {
  const { faults: _, ...rest } = withoutText(turn);
  return { ...rest, denied };
}

function withText(turn: Turn, text: string, { check }: LookingAt): Turn {
  const { faults: _, ...rest } = withoutText(turn);
  const { answer, faults } = check({ ...rest.answer, text }) ?? { answer: { ...rest.answer, text } };
  return { ...rest, answer, ...defined({ faults }) };
}

/** The provider's form of an answer has its text, too. */
function withoutText(turn: Turn): Turn {
  const { providerContent: _, sources: __, ...answer } = turn.answer;
  return { ...turn, answer: { ...answer, text: '' } };
}
