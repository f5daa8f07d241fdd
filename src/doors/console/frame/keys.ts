import { useEffect, useRef } from 'preact/hooks';
import { go } from '../use-route.ts';

/** Keys that work wherever no text is being written, in the order in which they are explained. */
export interface FrameKeys {
  onPalette: () => void;
  onHelp: () => void;
  onStart: () => void;
  onQuestions: () => void;
}

/** A key and the words that explain it. A sequence of two keys has a space between them. */
export const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ['Ctrl K or ⌘ K', 'find views, agents, runs and actions'],
  ['g h', 'home'],
  ['g r', 'runs'],
  ['g a', 'agents'],
  ['g q', 'questions'],
  ['n', 'start a run'],
  ['/', 'search in this view'],
  ['j k', 'next and previous line, also in trees'],
  ['Enter', 'open'],
  ['Esc', 'leave a field, close a dialog'],
  ['?', 'this list'],
];

/** How long the second key of a sequence is waited for, in milliseconds. */
const SEQUENCE_MS = 1_500;

export function useFrameKeys({ onPalette, onHelp, onStart, onQuestions }: FrameKeys): void {
  /** The first key of a sequence. */
  const pending = useRef<{ key: string; at: number } | undefined>(undefined);
  useEffect(() => {
    const keys: Record<string, () => void> = {
      'g h': () => go({ view: 'home' }),
      'g r': () => go({ view: 'runs' }),
      'g a': () => go({ view: 'agents' }),
      'g q': onQuestions,
      n: onStart,
      '/': () => document.querySelector<HTMLElement>('main input[type=search]')?.focus(),
      j: () => moveBy(1),
      k: () => moveBy(-1),
      '?': onHelp,
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
