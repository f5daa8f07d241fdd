import { useState } from 'preact/hooks';
import type { QuestionDetails } from '../../api/answers.ts';
import { get } from '../client/api.ts';
import { focusOnce } from '../shared/focus-once.ts';
import { ProblemText } from '../shared/problem-text.tsx';
import { submitting } from '../shared/submitting.ts';
import { TextArea } from '../shared/text-area.tsx';
import { useAction } from '../shared/use-action.ts';
import { useDraft } from '../shared/use-draft.ts';
import { ArgumentsForm } from './arguments-form.tsx';
import { ArgumentsText } from './arguments-text.tsx';
import { keyOf, type QuestionItem } from './open-questions.ts';
import { SubmitOrBack } from './submit-or-back.tsx';

/** An answer as the API takes it. */
export type SentAnswer = { choice: string; arguments?: Record<string, unknown> } | { text: string };

export interface ApprovalFormProps {
  question: QuestionItem;
  isBusy: boolean;
  /** The server's refusal of the last answer. */
  problem: unknown;
  onAnswer: (answer: SentAnswer) => void;
}

/** Whether a call may be made: yes, no and why, yes for the rest of the run, or yes with other arguments. */
export function ApprovalForm({ question, isBusy, problem, onAnswer }: ApprovalFormProps) {
  const [isDenying, setIsDenying] = useState(false);
  const [edited, setEdited] = useState<QuestionDetails>();
  const [hasComeBack, setHasComeBack] = useState(false);
  const comeBack = () => {
    setEdited(undefined);
    setIsDenying(false);
    setHasComeBack(true);
  };
  // A listed text may be cut, and a person must not approve a cut text.
  const editing = useAction(async () => {
    const { run_id: run, question_id: id } = question;
    setEdited(await get<QuestionDetails>(`runs/${run}/questions/${id}`));
  });
  if (edited !== undefined) {
    return (
      <ArgumentsForm
        of={keyOf(question)}
        given={edited.arguments ?? {}}
        parameters={edited.parameters}
        problem={problem}
        isBusy={isBusy}
        onApprove={(changed) => onAnswer({ choice: 'approve', arguments: changed })}
        onCancel={comeBack}
      />
    );
  }
  if (isDenying) {
    return (
      <DenyForm
        of={keyOf(question)}
        isBusy={isBusy}
        onDeny={(reason) => onAnswer(reason === '' ? { choice: 'deny' } : { text: `deny: ${reason}` })}
        onCancel={comeBack}
      />
    );
  }
  return (
    <>
      <ArgumentsText question={question} />
      <div class="choices" role="group" aria-label="Decision">
        <button
          type="button"
          class="main"
          ref={hasComeBack ? focusOnce : null}
          aria-disabled={isBusy}
          onClick={() => onAnswer({ choice: 'approve' })}
        >
          Approve
        </button>
        <button type="button" aria-disabled={isBusy} onClick={() => setIsDenying(true)}>
          Deny…
        </button>
        {question.about === undefined && (
          <button type="button" aria-disabled={editing.isBusy} onClick={editing.run}>
            Change arguments…
          </button>
        )}
        {question.choices.includes('always') && (
          <button type="button" aria-disabled={isBusy} onClick={() => onAnswer({ choice: 'always' })}>
            Approve {question.tool} for the rest of the run
          </button>
        )}
      </div>
      <ProblemText text={editing.error} />
    </>
  );
}

export interface DenyFormProps {
  /** Names what is denied. */
  of: string;
  isBusy: boolean;
  onDeny: (reason: string) => void;
  onCancel: () => void;
}

/** Why a call is denied. */
export function DenyForm({ of, isBusy, onDeny, onCancel }: DenyFormProps) {
  const [reason, setReason] = useDraft(`deny ${of}`, '');
  return (
    <form onSubmit={submitting(() => onDeny(reason.trim()))}>
      <TextArea
        label="Why not (the model reads it; may be empty)"
        text={reason}
        onText={setReason}
        field={focusOnce}
      />
      <SubmitOrBack onCancel={onCancel}>
        <button type="submit" class="danger" aria-disabled={isBusy}>
          Deny
        </button>
      </SubmitOrBack>
    </form>
  );
}
