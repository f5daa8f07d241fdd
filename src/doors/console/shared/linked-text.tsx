import { useMemo } from 'preact/hooks';
import { visible } from './visible.ts';

/** Addresses of the web, without the punctuation behind them. */
const ADDRESS = /\bhttps?:\/\/[^\s<>"'`]*[^\s<>"'`.,;:!?)\]}]/g;

/**
 * A text of a model, a tool or a person, as it is. Only addresses of the web become links; it is never read as HTML.
 */
export function LinkedText({ text: given }: { text: string }) {
  const parts = useMemo(() => partsOf(visible(given)), [given]);
  return (
    <>
      {parts.map((part) =>
        typeof part === 'string' ? (
          part
        ) : (
          <a href={part.address} target="_blank" rel="noopener noreferrer">
            {part.address}
          </a>
        ),
      )}
    </>
  );
}

function partsOf(text: string): (string | { address: string })[] {
  const parts: (string | { address: string })[] = [];
  let end = 0;
  for (const { 0: address, index } of text.matchAll(ADDRESS)) {
    parts.push(text.slice(end, index), { address });
    end = index + address.length;
  }
  return [...parts, text.slice(end)];
}
