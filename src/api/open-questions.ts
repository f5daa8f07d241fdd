import type { OpenQuestion } from '../runs/question.ts';
import type { ApiPorts } from './ports.ts';

/** What agents of a tree ask people at this moment. */
export async function openQuestionsOf(
  root: string,
  { runs }: Pick<ApiPorts, 'runs'>,
): Promise<OpenQuestion[]> {
  const open: OpenQuestion[] = [];
  for await (const each of runs.openQuestions(root)) open.push(each);
  return open;
}
