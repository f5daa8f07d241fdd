import { LinkedText } from '../shared/linked-text.tsx';
import type { TurnBlock } from './turns.ts';

/** The pages that an answer cites, in words of others. */
export function Sources({ sources = [] }: { sources: TurnBlock['turn']['sources'] | undefined }) {
  if (sources.length === 0) return null;
  return (
    <>
      <p>Sources:</p>
      <ul>
        {sources.map(({ title, url }) => (
          <li key={url}>
            <LinkedText text={`${title}, ${url}`} />
          </li>
        ))}
      </ul>
    </>
  );
}
