import { useState } from 'preact/hooks';
import { Dialog } from '../shared/dialog.tsx';
import { submitting } from '../shared/submitting.ts';

export interface ResumeWithProps {
  /** The one that it has. */
  model: string;
  isBusy: boolean;
  onResume: (model: string) => void;
  onClose: () => void;
}

/** Continues a run with another model; the server says which ones may be chosen. */
export function ResumeWith({ model, isBusy, onResume, onClose }: ResumeWithProps) {
  const [chosen, setChosen] = useState('');
  return (
    <Dialog title="Resume with another model" onClose={onClose}>
      <form onSubmit={submitting(() => onResume(chosen.trim()))}>
        <label class="field">
          Model
          <input
            required
            placeholder={model}
            value={chosen}
            onInput={({ currentTarget }) => setChosen(currentTarget.value)}
          />
        </label>
        <p class="muted">Agents below it keep theirs.</p>
        <button type="submit" class="main" aria-disabled={isBusy}>
          Resume
        </button>
      </form>
    </Dialog>
  );
}
