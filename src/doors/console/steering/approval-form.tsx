import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { editOf, EditDiff } from '../detail/edit-diff.tsx';
import { wholeCall } from '../detail/whole-texts.ts';
import { ProblemText } from '../shared/problem-text.tsx';
import { TextArea } from '../shared/text-area.tsx';
import { useAction } from '../shared/use-action.ts';
import { parseArguments } from './parse-arguments.ts';
import type { QuestionItem } from './open-questions.ts';
import { visible } from '../shared/visible.ts';

/** An answer as the API takes it. */
export type SentAnswer = { choice: string; arguments?: Record<string, unknown> } | { text: string };

export interface ApprovalFormProps {
  question: QuestionItem;
  isBusy: boolean;
  onAnswer: (answer: SentAnswer) => void;
}

/** Whether a call may be made: yes, no and why, yes for the rest of the run, or yes with other arguments. */
export function ApprovalForm({ question, isBusy, onAnswer }: ApprovalFormProps) {
  const [isDenying, setIsDenying] = useState(false);
  const [edited, setEdited] = useState<string>();
  const [hasComeBack, setHasComeBack] = useState(false);
  const comeBack = () => {
    setEdited(undefined);
    setIsDenying(false);
    setHasComeBack(true);
  };
  // A listed text may be cut, and a person must not approve a cut text.
  const editing = useAction(async () => setEdited(JSON.stringify(await argumentsOf(question), undefined, 2)));
  const given = question.arguments ?? {};
  const edit = editOf({ id: '', name: question.tool ?? '', arguments: given });
  if (edited !== undefined) {
    return (
      <ArgumentsForm
        text={edited}
        isBusy={isBusy}
        onApprove={(changed) => onAnswer({ choice: 'approve', arguments: changed })}
        onCancel={comeBack}
      />
    );
  }
  if (isDenying) {
    return (
      <DenyForm
        isBusy={isBusy}
        onDeny={(reason) => onAnswer(reason === '' ? { choice: 'deny' } : { text: `deny: ${reason}` })}
        onCancel={comeBack}
      />
    );
  }
  return (
    <>
      {edit === undefined ? (
        <p class="text code">{visible(JSON.stringify(given, undefined, 2))}</p>
      ) : (
        <EditDiff edit={edit} />
      )}
      <div class="choices" role="group" aria-label="Decision">
        <button
          type="button"
          ref={hasComeBack ? focused : null}
          aria-disabled={isBusy}
          onClick={() => onAnswer({ choice: 'approve' })}
        >
          Approve
        </button>
        <button type="button" aria-disabled={isBusy} onClick={() => setIsDenying(true)}>
          Deny…
        </button>
        <button type="button" aria-disabled={editing.isBusy} onClick={editing.run}>
          Change arguments…
        </button>
        <button type="button" aria-disabled={isBusy} onClick={() => onAnswer({ choice: 'always' })}>
          Approve {question.tool} for the rest of the run
        </button>
      </div>
      <ProblemText text={editing.error} />
    </>
  );
}

/** As the model wrote them, whole. */
async function argumentsOf({ run_id: run, question_id: id }: QuestionItem): Promise<Record<string, unknown>> {
  const [, turn = '', call = ''] = /^t(\d+)c(\d+)$/.exec(id) ?? [];
  return (await wholeCall(run, Number(turn), Number(call) - 1)).call.arguments;
}

interface DenyFormProps {
  isBusy: boolean;
  onDeny: (reason: string) => void;
  onCancel: () => void;
}

function DenyForm({ isBusy, onDeny, onCancel }: DenyFormProps) {
  const [reason, setReason] = useState('');
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onDeny(reason.trim());
  };
  return (
    <form onSubmit={submit}>
      <TextArea
        label="Why not (the model reads it; may be empty)"
        text={reason}
        onText={setReason}
        field={focused}
      />
      <SubmitOrBack onCancel={onCancel}>
        <button type="submit" class="danger" aria-disabled={isBusy}>
          Deny
        </button>
      </SubmitOrBack>
    </form>
  );
}

interface ArgumentsFormProps {
  text: string;
  isBusy: boolean;
  onApprove: (changed: Record<string, unknown>) => void;
  onCancel: () => void;
}

function ArgumentsForm({ text, isBusy, onApprove, onCancel }: ArgumentsFormProps) {
  const [json, setJson] = useState(text);
  const fault = useId();
  const parsed = parseArguments(json);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if ('value' in parsed) onApprove(parsed.value);
  };
  const isWrong = 'fault' in parsed;
  return (
    <form onSubmit={submit}>
      <label>
        Arguments, as JSON
        <textarea
          rows={8}
          class="code"
          spellcheck={false}
          ref={focused}
          value={json}
          aria-invalid={isWrong}
          aria-describedby={fault}
          onInput={({ currentTarget }) => setJson(currentTarget.value)}
        />
      </label>
      <p id={fault} class="problem" role="status">
        {isWrong ? parsed.fault : ''}
      </p>
      <SubmitOrBack onCancel={onCancel}>
        <button type="submit" aria-disabled={isBusy || isWrong}>
          Approve with these
        </button>
      </SubmitOrBack>
    </form>
  );
}

/** @param children the button that submits the form */
function SubmitOrBack({ onCancel, children }: { onCancel: () => void; children: ComponentChildren }) {
  return (
    <div class="choices">
      {children}
      <button type="button" class="plain" onClick={onCancel}>
        Back
      </button>
    </div>
  );
}

/** Where a person goes on who asked for the form. */
function focused(element: HTMLElement | null): void {
  if (element !== null && element.dataset['focused'] === undefined) {
    element.dataset['focused'] = '';
    element.focus();
  }
}
