import { termsOf } from '../../../terms.ts';
import { visible } from '../shared/visible.ts';

/** A text in which the words that were looked for are marked. @param wanted as they were typed */
export function MarkedText({ text, wanted }: { text: string; wanted: string }) {
  const words = termsOf(wanted);
  if (words.length === 0) return <>{visible(text)}</>;
  // Longer ones first: one may be the beginning of another.
  const longest = words.toSorted((one, other) => other.length - one.length);
  // Every second part is one of them.
  const parts = visible(text.normalize('NFC')).split(new RegExp(`(${longest.join('|')})`, 'giu'));
  return <>{parts.map((part, index) => (index % 2 === 1 ? <mark key={index}>{part}</mark> : part))}</>;
}
