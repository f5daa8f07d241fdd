import type { Ref } from 'preact';

export interface TextAreaProps {
  label: string;
  text: string;
  onText: (text: string) => void;
  required?: boolean;
  /** Told of the field itself, for its focus. */
  field?: Ref<HTMLTextAreaElement>;
}

/** A text of a line or two. */
export function TextArea({ label, text, onText, required = false, field = null }: TextAreaProps) {
  return (
    <label>
      {label}
      <textarea
        rows={2}
        required={required}
        ref={field}
        value={text}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
    </label>
  );
}
