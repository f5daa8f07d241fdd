import { ConfigError } from '../errors.ts';
import type { Wake } from '../executions/wake.ts';
import type { CallKey } from '../runs/call.ts';
import type { Questions } from '../runs/ports.ts';
import { questionId, type Answer, type Question } from '../runs/question.ts';

/** More than anybody types; models have read less. */
export const MAX_ANSWER_CHARACTERS = 100_000;

export interface AnswerPorts {
  store: Questions;
  now: () => number;
  /** Wakes whoever waits for the answer, which is in the store by then. */
  wake(question: Question): Promise<void>;
}

/** Somebody was quicker, or the time for an answer is over. */
export class AnsweredError extends Error {
  override readonly name = 'AnsweredError';
}

/**
 * Answers a question: the first answer wins.
 * @param by who answers, if that is known
 * @throws {AnsweredError} if it was answered, or may not be answered any more
 * @throws {ConfigError} if the answer is empty or too long
 */
export async function answerQuestion(
  question: Question,
  text: string,
  by: string | undefined,
  { store, now, wake }: AnswerPorts,
): Promise<Answer> {
  const given = text.trim();
  if (given === '') throw new ConfigError('the answer is empty');
  if (given.length > MAX_ANSWER_CHARACTERS) {
    throw new ConfigError(
      `the answer has ${given.length} characters; at most ${MAX_ANSWER_CHARACTERS} are allowed`,
    );
  }
  const answer = { text: given, ...(by !== undefined && { by }), at: new Date(now()).toISOString() };
  const kept = await store.saveAnswer(question, answer);
  // Woken even if somebody else was quicker: they may have died in between.
  await wake(question);
  if (kept.text === answer.text && kept.at === answer.at && kept.by === answer.by) return kept;
  const what = `question ${questionId(question)} of run "${question.run}"`;
  if (kept.text === undefined) throw new AnsweredError(`the time to answer ${what} is over`);
  throw new AnsweredError(`${what} was answered already${kept.by === undefined ? '' : ` by ${kept.by}`}`);
}

/** Wakes the execution that waits for an answer by its token. */
export async function wakeWaiting(at: CallKey, store: Questions, wake: Wake): Promise<void> {
  const wait = await store.answerWait(at);
  if (wait !== undefined) await wake(wait.token);
}
