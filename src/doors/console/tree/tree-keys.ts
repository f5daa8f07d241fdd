import type { TreeCursor } from './use-cursor.ts';
import type { Row } from './visible-rows.ts';

export interface TreeKeys {
  rows: readonly Row[];
  /** Which of them is the active one; -1 for none. */
  at: number;
  /** How many are in sight. */
  page: number;
  cursor: TreeCursor;
  onSelect: (id: string) => void;
}

/** The keys of a tree (https://www.w3.org/WAI/ARIA/apg/patterns/treeview, "Keyboard Interaction"). */
export function useTreeKeys({ rows, at, page, cursor, onSelect }: TreeKeys): (event: KeyboardEvent) => void {
  const move = (to: number) => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, to))];
    if (row !== undefined) cursor.moveTo(row.node.run.run_id);
  };
  const keys: Record<string, (row: Row) => void> = {
    ArrowDown: () => move(at + 1),
    ArrowUp: () => move(at - 1),
    j: () => move(at + 1),
    k: () => move(at - 1),
    Home: () => move(0),
    End: () => move(rows.length - 1),
    PageDown: () => move(at + page),
    PageUp: () => move(at - page),
    ArrowRight({ node }) {
      if (cursor.folded.has(node.run.run_id)) cursor.toggle(node.run.run_id);
      else if (node.children.length > 0) move(at + 1);
    },
    ArrowLeft({ node }) {
      const isUnfolded = node.children.length > 0 && !cursor.folded.has(node.run.run_id);
      if (isUnfolded) cursor.toggle(node.run.run_id);
      else if (node.parent !== undefined) cursor.moveTo(node.parent.run.run_id);
    },
    Enter: ({ node }) => onSelect(node.run.run_id),
    ' ': ({ node }) => onSelect(node.run.run_id),
  };
  return (event) => {
    const row = rows[Math.max(0, at)];
    const act = keys[event.key];
    if (act === undefined || row === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    act(row);
  };
}
