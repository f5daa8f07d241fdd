import { useEffect, useState } from 'preact/hooks';
import type { RunResource } from '../../api/answers.ts';
import type { RunOverview } from '../../../core/reports/run-schemas.ts';
import { atTop } from '../route.ts';
import { Dialog } from '../shared/dialog.tsx';
import { ProblemText } from '../shared/problem-text.tsx';
import { submitting } from '../shared/submitting.ts';
import { useAction } from '../shared/use-action.ts';
import { useDraft } from '../shared/use-draft.ts';
import { go } from '../use-route.ts';
import { usePostOnce } from './use-post-once.ts';

export interface ForkDialogProps {
  run: RunOverview;
  /** The turn that is made anew. */
  number: number;
  words: () => Promise<string>;
  onClose: () => void;
}

/** Continues a conversation from a turn, in a new run: with other words or another model. */
export function ForkDialog({ run, number, words, onClose }: ForkDialogProps) {
  const [before, setBefore] = useState<string>();
  const [changed, setChanged] = useDraft<string | undefined>(`fork ${run.run_id} ${number}`, undefined);
  const text = changed ?? before ?? '';
  const [model, setModel] = useState('');
  const postOnce = usePostOnce();
  const reading = useAction(async () => setBefore(await words()));
  useEffect(() => reading.run(), []);
  const forking = useAction(async () => {
    const body = {
      turn: number,
      ...(text.trim() !== '' && text !== before && { text }),
      ...(model.trim() !== '' && { model: model.trim() }),
    };
    const { run_id: top } = await postOnce<RunResource>(`runs/${run.run_id}/fork`, body);
    setChanged(undefined);
    onClose();
    go(atTop(top));
  });
  const isAdded = before === '';
  return (
    <Dialog title={`Fork from turn ${number}`} onClose={onClose}>
      <p>
        A run of its own knows everything up to here, and makes turn {number} anew. No call is made again, and{' '}
        <strong>files stay as they are now</strong>: what calls have done is not undone.
      </p>
      <ProblemText text={reading.error} />
      <form onSubmit={submitting(() => forking.run())}>
        <label class="field">
          {isAdded ? 'An instruction to add after the results (may be empty)' : 'What it is told'}
          <textarea
            rows={6}
            aria-busy={before === undefined}
            value={text}
            onInput={({ currentTarget }) => setChanged(currentTarget.value)}
          />
        </label>
        <label class="field">
          Model
          <input
            placeholder={run.model}
            value={model}
            onInput={({ currentTarget }) => setModel(currentTarget.value)}
          />
        </label>
        <button type="submit" class="main" aria-disabled={forking.isBusy || before === undefined}>
          Fork
        </button>
        <ProblemText text={forking.error} />
      </form>
    </Dialog>
  );
}
