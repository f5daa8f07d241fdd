import type { UnansweredQuestion } from '../records/question.ts';
import type { RunReader } from '../records/ports.ts';

/** A question as it is shown: nobody waits for the answer where nobody carries its tree out any more. */
export interface ShownQuestion extends UnansweredQuestion {
  isInterrupted: boolean;
}

/**
 * What agents ask people at this moment.
 * @param root of the tree that is asked for; absent: of all trees
 */
export async function openQuestions(
  records: Pick<RunReader, 'isCarriedOut' | 'openQuestions' | 'run'>,
  root?: string,
): Promise<ShownQuestion[]> {
  const open: ShownQuestion[] = [];
  for await (const { question, wait } of records.openQuestions(root)) {
    const isInterrupted = !(await records.isCarriedOut(question.root));
    // A run that has ended in between asks nothing any more.
    if (isInterrupted && (await records.run(question.run))?.status !== 'running') continue;
    // The time for an answer stands still, and begins again when the tree is resumed.
    open.push({ question, ...(!isInterrupted && wait !== undefined && { wait }), isInterrupted });
  }
  return open;
}
