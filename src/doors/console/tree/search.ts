import { useMemo } from 'preact/hooks';
import type { TreeNode, TreeStore } from './tree-store.ts';
import { visibleRows } from './visible-rows.ts';

const NOTHING_FOLDED: ReadonlySet<string> = new Set();

/** Runs whose agent, name, task or error contains the words, by id; undefined for no words. */
export function useFound(tree: TreeStore, words: string): ReadonlySet<string> | undefined {
  return useMemo(() => {
    const wanted = words.trim().toLowerCase();
    if (wanted === '') return undefined;
    const found = new Set<string>();
    for (const { run } of tree.nodes()) {
      const text = [run.agent, run.name, run.task, run.error].join('\n').toLowerCase();
      if (text.includes(wanted)) found.add(run.run_id);
    }
    return found;
  }, [tree, words, tree.version]);
}

/** The next run from top to bottom that is wanted, folded or not, and after the last one the first. */
export function nextOf(
  root: TreeNode,
  from: string,
  isWanted: (node: TreeNode) => boolean,
  step: 1 | -1,
): TreeNode | undefined {
  const nodes = visibleRows(root, NOTHING_FOLDED).map(({ node }) => node);
  if (step === -1) nodes.reverse();
  const at = nodes.findIndex(({ run }) => run.run_id === from);
  return [...nodes.slice(at + 1), ...nodes.slice(0, at + 1)].find(isWanted);
}
