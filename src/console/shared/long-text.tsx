import { useState } from 'preact/hooks';
import { LinkedText } from './linked-text.tsx';
import { ProblemText } from './problem-text.tsx';
import { useAction } from './use-action.ts';

export interface LongTextProps {
  text: string;
  /** Of the whole text, where only its beginning is here. */
  characters?: number | undefined;
  /** Fetches the whole text. */
  whole: () => Promise<string>;
  class?: string;
}

/** A text, and where it is cut a button that fetches the rest. */
export function LongText({ text, characters, whole, class: style = '' }: LongTextProps) {
  const [fetched, setFetched] = useState<string>();
  const fetching = useAction(async () => setFetched(await whole()));
  const isCut = characters !== undefined && fetched === undefined;
  return (
    <>
      <p class={`text ${style}`}>
        <LinkedText text={fetched ?? text} />
        {isCut && '…'}
      </p>
      {isCut && (
        <button type="button" class="plain" aria-disabled={fetching.isBusy} onClick={fetching.run}>
          Show all {characters.toLocaleString('en')} characters
        </button>
      )}
      <ProblemText text={fetching.error} />
    </>
  );
}
