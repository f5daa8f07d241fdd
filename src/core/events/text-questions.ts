import type { RunReads } from '../records/ports.ts';
import type { BegunTurn, Run } from '../records/run.ts';
import type { AskedQuestion } from '../records/question.ts';
import { resultsIn } from '../records/message.ts';
import { readQuestion } from './read-question.ts';

/** What people were asked about the texts of a run's turns, by the numbers of these: `call` is 0 in each. */
export type TextQuestions = ReadonlyMap<number, AskedQuestion>;

/**
 * Reads the questions to people about texts, up to the turn that is still kept apart.
 * @param known questions read before; it has those of all turns that were made by then
 * @param from the first turn to read
 */
export async function readTextQuestions(
  { id: run }: Run,
  known: TextQuestions,
  { from, to }: { from: number; to: number },
  store: Pick<RunReads, 'answer' | 'question'>,
): Promise<TextQuestions> {
  const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const read = await Promise.all(
    numbers.map(async (turn) => {
      const at = { run, turn, call: 0 };
      const { question, answer } = await readQuestion(at, known.get(turn)?.question, store);
      return question === undefined ? [] : [[turn, { question, answer }] as const];
    }),
  );
  return new Map([...known, ...read.flat()]);
}

/** A turn that is kept apart until it is known whether its text may be shown. */
export async function withheldTurn(
  { id }: Run,
  number: number,
  store: Pick<RunReads, 'withheldTurn'>,
): Promise<BegunTurn | undefined> {
  const turn = await store.withheldTurn(id, number);
  if (turn === undefined) return undefined;
  const { messages, received, at, latencyMs } = turn;
  return { turn: number, at: Date.parse(at) - latencyMs, messages, pendingCalls: resultsIn(received).length };
}
