import { Dialog } from '../shared/dialog.tsx';
import { StartForm } from './start-form.tsx';
import './steering.css';

/** Starts a run, from anywhere. */
export function StartRun({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Start a run" onClose={onClose}>
      <StartForm onStarted={onClose} />
    </Dialog>
  );
}
