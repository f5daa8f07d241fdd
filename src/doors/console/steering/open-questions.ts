import { useEffect, useState } from 'preact/hooks';
import { messageOf } from '../../../errors.ts';
import type { QuestionList } from '../../api/answers.ts';
import { get } from '../client/api.ts';
import { poll } from '../client/poll.ts';
import type { ApiAnswer } from '../client/use-answer.ts';

export type QuestionItem = QuestionList['questions'][number];

/** How often to look for new questions, in milliseconds. */
const LOOK_MS = 3_000;

/** Open questions of all trees. */
let list: ApiAnswer<readonly QuestionItem[]> = {
  data: undefined,
  problem: undefined,
  again: () => void lookForQuestions(),
};
const NONE: readonly QuestionItem[] = [];
const listeners = new Set<() => void>();
let stop = () => {};

/** Looks for questions at once, after one was answered for example. */
export async function lookForQuestions(): Promise<void> {
  try {
    const { questions } = await get<QuestionList>('questions');
    list = { ...list, data: questions, problem: undefined };
  } catch (thrown) {
    list = { ...list, problem: messageOf(thrown) };
  } finally {
    for (const listener of listeners) listener();
  }
}

/** What became of the newest answers. */
export interface AnswerNews {
  /** What they were about; of one that was not taken, why. */
  about: string;
  /** Of answers that were given together, each by what it was about. */
  outcomes: readonly { about: string; outcome: string }[];
}

let news: AnswerNews | undefined;

/** Keeps what became of answers for readers of the questions. @param what undefined: they have read it */
export function tellNews(what: AnswerNews | undefined): void {
  news = what;
  for (const listener of listeners) listener();
}

/** Keeps the news of an answer that was not taken if the question is gone: another was faster, or time was over. */
export function tellIfGone(question: QuestionItem, why: string): void {
  if (list.data?.some((open) => keyOf(open) === keyOf(question))) return;
  tellNews({ about: `Your answer was not taken: ${why}`, outcomes: [] });
}

export function useAnswerNews(): AnswerNews | undefined {
  return useNews(() => news);
}

/** Open questions, live: components that use them are rendered again when they have changed. */
export function useOpenQuestions(): readonly QuestionItem[] {
  return useQuestionList().data ?? NONE;
}

/** The same, with what keeps them from being known. */
export function useQuestionList(): ApiAnswer<readonly QuestionItem[]> {
  return useNews(() => list);
}

function useNews<T>(read: () => T): T {
  const [shown, setShown] = useState(read);
  useEffect(() => {
    const update = () => setShown(read);
    listeners.add(update);
    // A page out of sight needs them for its title alone.
    if (listeners.size === 1) stop = poll(lookForQuestions, LOOK_MS, 10 * LOOK_MS);
    else update();
    return () => {
      listeners.delete(update);
      if (listeners.size === 0) stop();
    };
  }, []);
  return shown;
}

/** Whether two are the same question. */
export function keyOf({ run_id: run, question_id: question }: QuestionItem): string {
  return `${run} ${question}`;
}
