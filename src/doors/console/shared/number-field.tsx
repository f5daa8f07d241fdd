export interface NumberFieldProps {
  name: string;
  label: string;
  min: string;
  max?: string | undefined;
  step?: string;
}

/** A number, which may be left out. */
export function NumberField({ name, label, min, max, step = '1' }: NumberFieldProps) {
  return (
    <label>
      {label}
      <input type="number" inputMode="decimal" name={name} min={min} max={max} step={step} />
    </label>
  );
}

/** @returns undefined if it was left out */
export function numberOf(data: FormData, name: string): number | undefined {
  const text = data.get(name);
  return typeof text === 'string' && text.trim() !== '' ? Number(text) : undefined;
}
