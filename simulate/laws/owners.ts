import type { Law } from './law.ts';

/** In JSON. A summary cuts the end of a line off, maybe within the number of a mark. */
const MARKS = /\b[admpqw]\d+\b(?!\\n- )/g;

/**
 * @param ownerOf whose a tree is, by its root
 * @param treeOf the tree in which a text was written, by its mark
 */
export function ownersApart(
  ownerOf: ReadonlyMap<string, string>,
  treeOf: ReadonlyMap<string, string>,
  rootOf: (run: string) => string | undefined,
): Law {
  return {
    says: "nobody sees what was written in another owner's tree",
    onAsked({ run, request: { messages, system } }) {
      const root = rootOf(run) ?? '';
      const at = messages.findLastIndex(({ role }) => role === 'assistant');
      // What it remembers of earlier trees is in its prompt.
      const marks = JSON.stringify([system, messages.slice(at + 1)]).match(MARKS) ?? [];
      return marks.flatMap((mark) => {
        const written = treeOf.get(mark) ?? root;
        const isOwn = written === root || ownerOf.get(written) === ownerOf.get(root);
        return isOwn ? [] : [`${run} was shown ${mark} of ${written}`];
      });
    },
  };
}
