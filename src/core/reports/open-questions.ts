import type { UnansweredQuestion } from '../records/question.ts';
import type { RunReader } from '../records/ports.ts';

/** A question as it is shown: no agent waits for the answer if its tree has no carrier any more. */
export interface ShownQuestion extends UnansweredQuestion {
  isInterrupted: boolean;
}

/**
 * The open questions of agents to people.
 * @param root of the wanted tree; absent: of all trees
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
