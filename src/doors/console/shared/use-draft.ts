import { useState } from 'preact/hooks';

/** What was begun and not sent, by what it is for. It outlives the form in which it is written, but no reload. */
const drafts = new Map<string, unknown>();

/**
 * The state of a field that outlives its form: closing a dialog, or going elsewhere, loses nothing.
 * @param of names what is written
 * @param first what the field begins with; setting this forgets the draft
 */
export function useDraft<T>(of: string, first: T): [value: T, set: (value: T) => void] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each name has one caller, which alone stores under it
  const [value, setValue] = useState(drafts.has(of) ? (drafts.get(of) as T) : first);
  const set = (changed: T) => {
    if (changed === first) drafts.delete(of);
    else drafts.set(of, changed);
    setValue(changed);
  };
  return [value, set];
}
