import { useState } from 'preact/hooks';
import type { RunResource } from '../../api/schemas.ts';
import { post } from '../client/api.ts';
import type { SelectedRun } from '../selected-run.ts';
import { ProblemText } from '../shared/problem-text.tsx';
import { useAction } from '../shared/use-action.ts';

/** Writes to the agent of a run, which reads it with its next turn, or goes on with it if it has ended. */
export function SendMessage({ run, tree }: SelectedRun) {
  const [text, setText] = useState('');
  /** How many turns there were when the last message was sent; undefined before that. */
  const [sentAt, setSentAt] = useState<number>();
  const sending = useAction(async () => {
    setSentAt(undefined);
    tree.put([await post<RunResource>(`runs/${run.run_id}/messages`, { text })]);
    setSentAt(run.turns);
    setText('');
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    sending.run();
  };
  const name = run.name ?? run.agent;
  return (
    <form class="send" onSubmit={submit}>
      <label>
        Message to {name}
        <textarea
          rows={2}
          required
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <button type="submit" class="main" aria-disabled={sending.isBusy}>
        Send
      </button>
      <p role="status">{sentAt === undefined ? '' : sentText(run.turns > sentAt, run.status)}</p>
      <ProblemText text={sending.error} />
    </form>
  );
}

function sentText(isRead: boolean, status: SelectedRun['run']['status']): string {
  if (isRead) return 'Read.';
  return status === 'running' ? 'Sent. The agent reads it with its next turn.' : 'Sent. The agent goes on.';
}
