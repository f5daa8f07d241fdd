import { counted } from '../../../counted.ts';
import { nextOf } from './search.ts';
import { hasFailed, waitsForPerson } from './totals.ts';
import type { TreeNode, TreeStore } from './tree-store.ts';
import type { TreeCursor } from './use-cursor.ts';

export interface TreeToolsProps {
  tree: TreeStore;
  root: TreeNode;
  cursor: TreeCursor;
  words: string;
  onWords: (words: string) => void;
  found: ReadonlySet<string> | undefined;
  onSelect: (id: string) => void;
}

/** Above the tree: finding runs in it, and folding it. */
export function TreeTools({ tree, root, cursor, words, onWords, found, onSelect }: TreeToolsProps) {
  const open = (isWanted: (node: TreeNode) => boolean, step: 1 | -1 = 1) => {
    const next = nextOf(root, cursor.active, isWanted, step);
    if (next === undefined) return;
    cursor.reveal(next);
    onSelect(next.run.run_id);
  };
  const isFound = ({ run }: TreeNode) => found?.has(run.run_id) === true;
  const { failures, asking, runs } = root.totals;
  return (
    <div class="tools" role="toolbar" aria-label="The tree">
      <label>
        <span class="spoken">Find agents, tasks and errors</span>
        <input
          type="search"
          placeholder="Find agents, tasks, errors"
          value={words}
          onInput={({ currentTarget }) => onWords(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') open(isFound, event.shiftKey ? -1 : 1);
          }}
        />
      </label>
      <span class="muted" role="status">
        {found === undefined ? '' : `${found.size} of ${counted(runs, 'agent')}`}
      </span>
      {failures > 0 && (
        <button type="button" class="bad" onClick={() => open(({ run }) => hasFailed(run))}>
          Next failure ({failures})
        </button>
      )}
      {asking > 0 && (
        <button type="button" class="attention" onClick={() => open(({ run }) => waitsForPerson(run))}>
          Next question ({asking})
        </button>
      )}
      {runs > 1 && (
        <button type="button" onClick={() => cursor.fold(cursor.folded.size > 0 ? [] : parentsIn(tree))}>
          {cursor.folded.size > 0 ? 'Unfold all' : 'Fold all'}
        </button>
      )}
    </div>
  );
}

/** Everything with runs below it, but the top. */
function parentsIn(tree: TreeStore): string[] {
  return [...tree.nodes()]
    .filter(({ parent, children }) => parent !== undefined && children.length > 0)
    .map(({ run }) => run.run_id);
}
