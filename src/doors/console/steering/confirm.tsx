import { Dialog } from '../shared/dialog.tsx';

export interface ConfirmProps {
  title: string;
  /** The consequences. */
  text: string;
  /** The label of the button that does it. */
  deed: string;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks before an action that cannot be undone. Pressing Enter or Escape at once changes nothing. */
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
