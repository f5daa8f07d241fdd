import type { ComponentChildren } from 'preact';

/** The end of a form. @param children the button that submits it, and others */
export function SubmitOrBack({ onCancel, children }: { onCancel: () => void; children: ComponentChildren }) {
  return (
    <div class="choices">
      {children}
      <button type="button" class="plain" onClick={onCancel}>
        Back
      </button>
    </div>
  );
}
