import { useEffect, useState } from 'preact/hooks';
import { post } from '../client/api.ts';
import { poll } from '../client/poll.ts';
import { FileDrop, useFiles } from './file-drop.tsx';
import { contextOf, NO_FILES } from './text-files.ts';
import { attach } from './upload.ts';
import type { SelectedRun } from '../selected-run.ts';
import { ProblemText } from '../shared/problem-text.tsx';
import { submitting } from '../shared/submitting.ts';
import { TextArea } from '../shared/text-area.tsx';
import { useAction } from '../shared/use-action.ts';
import { useDraft } from '../shared/use-draft.ts';

/** How often to look whether an agent has begun again, and for how long, in milliseconds. */
const LOOK_MS = 1_000;
const GIVE_UP_MS = 60_000;

const SENT = 'Sent. It is in the conversation as soon as the agent reads it.';

/** Writes to the agent of a run, which reads it with its next turn, or continues with it if it has ended. */
export function SendMessage({ run, tree }: SelectedRun) {
  const [text, setText] = useDraft(`message ${run.run_id}`, '');
  const given = useFiles(...useDraft(`files ${run.run_id}`, NO_FILES));
  const { files, onFiles, dropping } = given;
  /** How many turns there were when the last message was sent; undefined before that. */
  const [sentAt, setSentAt] = useState<number>();
  const sending = useAction(async () => {
    setSentAt(undefined);
    const body = { text: contextOf(text, files), ...(await attach(files)) };
    await post(`runs/${run.run_id}/messages`, body);
    setSentAt(run.turns);
    setText('');
    onFiles(NO_FILES);
    tree.refresh();
  });
  // An ended tree sends no events, and an agent takes a moment to begin again.
  const isAwaited = sentAt === run.turns && run.status !== 'running';
  useEffect(() => {
    if (!isAwaited) return;
    const stop = poll(async () => tree.refresh(), LOOK_MS);
    const giveUp = setTimeout(stop, GIVE_UP_MS);
    return () => {
      stop();
      clearTimeout(giveUp);
    };
  }, [isAwaited, tree]);
  const name = run.name ?? run.agent;
  return (
    <form class="send" onSubmit={submitting(() => sending.run())} {...dropping}>
      <TextArea label={`Message to ${name}`} required={files.length === 0} text={text} onText={setText} />
      <FileDrop {...given} />
      <button type="submit" class="main" aria-disabled={sending.isBusy}>
        Send
      </button>
      <p role="status">{sentAt === undefined || text !== '' ? '' : SENT}</p>
      <ProblemText text={sending.error} />
    </form>
  );
}
