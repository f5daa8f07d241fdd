import { offTreeClock, toTimeout } from '../records/times.ts';
import { AWAITED, CHOICE, ITERATION, SUCCEED, sum } from '../machine/costs.ts';
import { childDeadline, secondsUntil } from '../records/deadline.ts';
import type { Answer } from '../records/question.ts';
import type { AskPlan } from '../records/plan.ts';
import { preview } from '../records/preview.ts';
import type { Ended, Kind, Planned } from './kind.ts';
import type { Waiting } from './step.ts';

/** The result of a question without an answer. */
const UNANSWERED = '(question could not be answered)';

/** The result of a question that has ended, as the model reads it. */
export function answerText({ text = UNANSWERED }: Answer): string {
  return text;
}

/** How long a state waits for a person: for as long as the tree has patience, else as long as there is time. */
export function personWait({
  deadline,
  now,
  paused,
  patienceLeft,
}: Pick<Planned, 'deadline' | 'now' | 'paused' | 'patienceLeft'>): Waiting {
  const latest = childDeadline(now, deadline);
  if (patienceLeft === undefined)
    return { deadline: offTreeClock(latest, paused), timeout: secondsUntil(latest, now) };
  // The clock stands still meanwhile, so that no deadline comes nearer.
  return { deadline: Number.MAX_SAFE_INTEGER, timeout: toTimeout(patienceLeft) };
}

/** A question without an answer in time costs no more. */
const COST = sum(ITERATION, AWAITED, CHOICE, SUCCEED);

/** A question to a person: a state that waits for a token, and an answer that is stored before the token comes. */
export const ASK = {
  atOnce: () => Infinity,
  startedRun: () => undefined,
  costs: { answered: COST, failed: COST },

  async toStep({ question }, planned) {
    const { run, turn, call, tool, store, previewBytes, isRepeated } = planned;
    const isAnswered = isRepeated && (await store.answer({ run: run.id, turn, call })) !== undefined;
    if (isAnswered) return undefined;
    return {
      kind: 'ask',
      call,
      tool,
      subject: preview(question, previewBytes),
      wait: personWait(planned),
    };
  },

  async toResult(call, _, ended) {
    const text = answerText(await endQuestion(ended));
    return { callId: call.id, name: call.name, text, isError: false };
  },
} satisfies Kind<AskPlan>;

/** Ends a call's question. From now on an answer comes too late, and its author is told so. */
export async function endQuestion(ended: Omit<Ended, 'limits' | 'outcome' | 'tools'>): Promise<Answer> {
  const { run, turn, call, store, now, waited } = ended;
  const at = { run: run.id, turn, call };
  const answer =
    (await store.answer(at)) ??
    (await store.saveAnswer({ ...at, root: run.root }, { at: new Date(now).toISOString() }));
  waited?.('person', Date.parse(answer.at));
  return answer;
}
