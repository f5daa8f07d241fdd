import { useEffect, useRef } from 'preact/hooks';

/** Something that can be done or gone to. */
export interface Command {
  name: string;
  /** The kind of thing that it is, or the keys that do the same: a sequence of two has a space between them. */
  hint: string;
  run: () => void;
}

/** The keys of lists and fields, which do nothing that has a name. */
export const OTHER_KEYS: readonly Omit<Command, 'run'>[] = [
  { hint: 'Ctrl K or ⌘ K', name: 'Find views, agents, runs and actions' },
  { hint: '/', name: 'Search in this view' },
  { hint: 'j k', name: 'Next and previous line, also in trees' },
  { hint: 'Enter', name: 'Open' },
  { hint: 'Esc', name: 'Leave a field, close a dialog' },
];

/** How long the second key of a sequence is waited for, in milliseconds. */
const SEQUENCE_MS = 1_500;

/** Makes keys work wherever no text is being written. @param commands whose hints are keys */
export function useFrameKeys(commands: readonly Command[], onPalette: () => void): void {
  /** The first key of a sequence. */
  const pending = useRef<{ key: string; at: number } | undefined>(undefined);
  useEffect(() => {
    const keys: Record<string, () => void> = {
      ...Object.fromEntries(commands.map(({ hint, run }) => [hint, run])),
      '/': () => document.querySelector<HTMLElement>('main input[type=search]')?.focus(),
      j: () => moveBy(1),
      k: () => moveBy(-1),
    };
    const onKeyDown = (event: KeyboardEvent) => {
      const { key } = event;
      // What lies over the view has keys of its own, and may hold a text.
      if (document.querySelector('dialog[open]') !== null) return;
      if ((event.ctrlKey || event.metaKey) && !event.altKey && key.toLowerCase() === 'k') {
        event.preventDefault();
        onPalette();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (isWriting(event.target)) {
        if (key === 'Escape' && event.target instanceof HTMLElement) event.target.blur();
        return;
      }
      const begun = pending.current;
      const first = begun !== undefined && Date.now() - begun.at < SEQUENCE_MS ? `${begun.key} ` : '';
      pending.current = key === 'g' ? { key, at: Date.now() } : undefined;
      const act = keys[first + key] ?? (first === '' ? undefined : keys[key]);
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  });
}

/** Whether keys are letters of a text there. */
function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
}

/** Moves the focus among the lines of the view: links and cards that lists are made of. */
function moveBy(step: 1 | -1): void {
  const lines = [...document.querySelectorAll<HTMLElement>('main [data-line]')];
  const at = lines.findIndex((line) => line.contains(document.activeElement));
  const next = lines[at === -1 ? (step === 1 ? 0 : lines.length - 1) : at + step];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}
