import type { Ref } from 'preact';

export interface TextAreaProps {
  label: string;
  text: string;
  onText: (text: string) => void;
  /** Of the field in its form. */
  name?: string;
  /** 2 unless this says otherwise. */
  rows?: number;
  required?: boolean;
  /** Told of the field itself, for its focus. */
  field?: Ref<HTMLTextAreaElement>;
}

/** A text of a few lines. */
export function TextArea({
  label,
  text,
  onText,
  name,
  rows = 2,
  required = false,
  field = null,
}: TextAreaProps) {
  return (
    <label>
      {label}
      <textarea
        name={name}
        rows={rows}
        required={required}
        ref={field}
        value={text}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
    </label>
  );
}
