import { editOf, EditDiff } from '../detail/edit-diff.tsx';
import { visible } from '../shared/visible.ts';
import type { QuestionItem } from './open-questions.ts';

/** The arguments of a call that waits for approval: an edit as the lines that it changes. */
export function ArgumentsText({
  question: { tool = '', arguments: given = {} },
}: {
  question: QuestionItem;
}) {
  const edit = editOf({ id: '', name: tool, arguments: given });
  if (edit !== undefined) return <EditDiff edit={edit} />;
  return (
    <p class="text code" tabIndex={0}>
      {visible(JSON.stringify(given, undefined, 2))}
    </p>
  );
}
