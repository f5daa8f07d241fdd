import { useState } from 'preact/hooks';
import { Dialog } from '../shared/dialog.tsx';
import { StartForm } from './start-form.tsx';
import './steering.css';

/** Starts a run, from the bar. */
export function StartRun() {
  const [isShown, setIsShown] = useState(false);
  const close = () => setIsShown(false);
  return (
    <>
      <button type="button" aria-haspopup="dialog" onClick={() => setIsShown(true)}>
        Start a run
      </button>
      {isShown && (
        <Dialog title="Start a run" onClose={close}>
          <StartForm onStarted={close} />
        </Dialog>
      )}
    </>
  );
}
