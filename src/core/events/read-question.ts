import type { CallKey } from '../records/call.ts';
import type { RunReads } from '../records/ports.ts';
import type { Answer, Question } from '../records/question.ts';

/**
 * What a person was asked because of a call or a text, and how that ended. A call may end without a question; one that
 * has ended without is asked none any more.
 * @param known the question, if it was read before
 */
export async function readQuestion(
  at: CallKey,
  known: Question | undefined,
  store: Pick<RunReads, 'answer' | 'question'>,
): Promise<{ question: Question | undefined; answer: Answer | undefined }> {
  const [early, answer] = await Promise.all([known ?? store.question(at), store.answer(at)]);
  // It may have been asked and answered between the two reads.
  return { question: early ?? (answer && (await store.question(at))), answer };
}
