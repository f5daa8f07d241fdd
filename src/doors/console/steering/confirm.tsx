import { Dialog } from '../shared/dialog.tsx';

export interface ConfirmProps {
  title: string;
  /** What happens then. */
  text: string;
  /** What the button that does it says. */
  deed: string;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks before something that cannot be taken back. Whoever presses Enter or Escape at once has changed nothing. */
export function Confirm({ title, text, deed, onConfirm, onClose }: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <button type="button" class="danger" onClick={onConfirm}>
        {deed}
      </button>
    </Dialog>
  );
}
