import type { TreeNode } from './tree-store.ts';

/** A line of the tree as it is folded now. */
export interface Row {
  node: TreeNode;
  /** Below the top that is shown. */
  level: number;
  /** Among its siblings, from 1. */
  position: number;
}

/** The lines of a tree from top to bottom, without those below folded ones. */
export function visibleRows(root: TreeNode, folded: ReadonlySet<string>): Row[] {
  const rows: Row[] = [];
  const add = (node: TreeNode, level: number, position: number) => {
    rows.push({ node, level, position });
    if (folded.has(node.run.run_id)) return;
    for (const [index, child] of node.children.entries()) add(child, level + 1, index + 1);
  };
  add(root, 0, 1);
  return rows;
}

/** Those above a run, of which none may be folded for it to be seen. */
export function above(node: TreeNode): TreeNode[] {
  return node.parent === undefined ? [] : [node.parent, ...above(node.parent)];
}
