import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

export interface DialogProps {
  title: string;
  /** Called when it is closed, by Escape too; its owner then removes it. */
  onClose: () => void;
  children: ComponentChildren;
}

/** A dialog over the page. The browser keeps the focus in it, and gives it back to the earlier element. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
  // The browser says so late: meanwhile the page can be used, and the same dialog may have been opened again.
  const onClosed = () => dialog.current !== null && onClose();
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={heading} onCancel={onClose} onClose={onClosed}>
      <div class="head">
        <h2 id={heading} tabIndex={-1}>
          {title}
        </h2>
        <button type="button" class="plain" onClick={onClose}>
          Close
        </button>
      </div>
      {children}
    </dialog>
  );
}
