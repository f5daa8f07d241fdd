import { useState } from 'preact/hooks';
import type { TreeNode } from './tree-store.ts';
import { above } from './visible-rows.ts';

/** A reader's position in the tree, and its folded parts. */
export interface TreeCursor {
  /** The run that keys act on, by id. */
  active: string;
  /** Runs whose children are not shown, by id. */
  folded: ReadonlySet<string>;
  moveTo(id: string): void;
  /** Unfolds everything that hides a run, and goes there. */
  reveal(node: TreeNode): void;
  toggle(id: string): void;
  fold(ids: Iterable<string>): void;
}

export function useCursor(start: string): TreeCursor {
  const [active, setActive] = useState(start);
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  return {
    active,
    folded,
    moveTo: setActive,
    reveal(node) {
      const hiding = above(node).filter(({ run }) => folded.has(run.run_id));
      if (hiding.length > 0) setFolded(without(folded, hiding));
      setActive(node.run.run_id);
    },
    toggle(id) {
      const next = new Set(folded);
      if (!next.delete(id)) next.add(id);
      setFolded(next);
    },
    fold: (ids) => setFolded(new Set(ids)),
  };
}

function without(folded: ReadonlySet<string>, nodes: readonly TreeNode[]): ReadonlySet<string> {
  const ids = new Set(nodes.map(({ run }) => run.run_id));
  return new Set([...folded].filter((id) => !ids.has(id)));
}
