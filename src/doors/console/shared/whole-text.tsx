import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { count } from '../../../counted.ts';
import { CopyButton } from './copy-button.tsx';
import { LongText } from './long-text.tsx';
import { RichText } from './rich-text.tsx';

/** Longer texts are shown as they are written, piece by piece: no reader of so much looks for its headings. */
export const MOST_FORMATTED = 100_000;

export interface WholeTextProps {
  text: string;
  /** Of the whole text, where only its beginning is here. */
  characters?: number | undefined;
  /** Fetches the whole text. */
  whole: () => Promise<string>;
  /** Names it where it is copied: `task`. */
  what: string;
  /** Whether it is in sight at once. */
  isInSight?: boolean;
  /** In front of it. */
  children: ComponentChildren;
}

/** A text of a conversation below its heading, as the Markdown that it is or as it is written. */
export function WholeText({ text, characters, whole, what, isInSight = false, children }: WholeTextProps) {
  const [isRaw, setIsRaw] = useState(false);
  const isTooLong = (characters ?? text.length) > MOST_FORMATTED;
  return (
    <>
      <div class="whole-text-head">
        {children}
        {text !== '' && (
          <span class="whole-text-tools">
            {!isTooLong && (
              <button type="button" class="plain" aria-pressed={isRaw} onClick={() => setIsRaw(!isRaw)}>
                Raw
              </button>
            )}
            <CopyButton text={characters === undefined ? text : whole} what={what} />
          </span>
        )}
      </div>
      {isTooLong && (
        <p class="muted">Shown as it is written: it is longer than {count(MOST_FORMATTED)} characters.</p>
      )}
      {isTooLong || isRaw ? (
        <LongText text={text} characters={characters} whole={whole} isWhole={isRaw} />
      ) : (
        <RichText text={text} isInSight={isInSight} />
      )}
    </>
  );
}
