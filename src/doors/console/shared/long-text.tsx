import { useState } from 'preact/hooks';
import { count } from '../../../counted.ts';
import { LinkedText } from './linked-text.tsx';
import { ProblemText } from './problem-text.tsx';
import { useAction } from './use-action.ts';

export interface LongTextProps {
  text: string;
  /** Of the whole text, where only its beginning is here. */
  characters?: number | undefined;
  /** Fetches the whole text; absent where it is here. */
  whole?: () => Promise<string>;
  /** Whether all that is here is shown at once. */
  isWhole?: boolean;
  class?: string;
}

/** Of longer texts only the beginning is shown at first. */
const LINES = 12;
const CHARACTERS = 1_500;
/** Longer texts would halt the page, and are shown piece by piece. */
const PIECE = 200_000;

/** A text; where it is long, its beginning and a button that shows the rest, which is fetched if it is not here. */
export function LongText({ text, characters, whole, isWhole = false, class: style = '' }: LongTextProps) {
  const [fetched, setFetched] = useState<string>();
  const [most, setMost] = useState(isWhole ? PIECE : 0);
  const showing = useAction(async () => {
    if (whole !== undefined && characters !== undefined && fetched === undefined) setFetched(await whole());
    setMost(most + PIECE);
  });
  const known = fetched ?? text;
  const shown = most === 0 ? beginningOf(known) : known.slice(0, most);
  const length = fetched?.length ?? characters ?? text.length;
  const isCut = shown.length < length;
  return (
    <>
      <p class={`text ${style}`}>
        <LinkedText text={shown} />
        {isCut && '…'}
      </p>
      {isCut && (
        <button type="button" class="plain" aria-disabled={showing.isBusy} onClick={showing.run}>
          {length > most + PIECE ? 'Show more of' : 'Show all'} {count(length)} characters
        </button>
      )}
      {!isCut && !isWhole && most > 0 && (
        <button type="button" class="plain" onClick={() => setMost(0)}>
          Show less
        </button>
      )}
      <ProblemText text={showing.error} />
    </>
  );
}

/** All of a text that is only a little longer. */
function beginningOf(text: string): string {
  const lines = text.split('\n', LINES + 4);
  const isLong = lines.length > LINES + 3 || text.length > 1.2 * CHARACTERS;
  return isLong ? lines.slice(0, LINES).join('\n').slice(0, CHARACTERS) : text;
}
