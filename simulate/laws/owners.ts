import type { Law } from './law.ts';

const MARKS = /\b[admpq]\d+\b/g;

/** @param treeOf the tree in which a text was written, by its mark */
export function treesApart(
  treeOf: ReadonlyMap<string, string>,
  rootOf: (run: string) => string | undefined,
): Law {
  return {
    says: "nobody sees what was written in another owner's tree",
    onAsked({ run, request: { messages } }) {
      const root = rootOf(run);
      const at = messages.findLastIndex(({ role }) => role === 'assistant');
      const marks = JSON.stringify(messages.slice(at + 1)).match(MARKS) ?? [];
      return marks
        .filter((mark) => treeOf.has(mark) && treeOf.get(mark) !== root)
        .map((mark) => `${run} was shown ${mark} of ${treeOf.get(mark)}`);
    },
  };
}
