import { RunDetail } from '../detail/run-detail.tsx';
import { hrefOf } from '../route.ts';
import { RunActions } from '../steering/run-actions.tsx';
import type { TreeNode } from './tree-store.ts';
import { useTree } from './use-tree.ts';

export interface RunViewProps {
  /** The run at the top of the tree. */
  top: string;
  /** The run that is looked at: the top, or one below it. */
  selected: string;
}

/** A run with everything below it, and the selected run of it in place. */
export function RunView({ top, selected }: RunViewProps) {
  const tree = useTree(top);
  const node = tree.node(selected);
  return (
    <div class="run">
      <ul>{tree.root && <Branch node={tree.root} top={top} />}</ul>
      {node && (
        <section class="detail" aria-label="Selected run">
          <RunActions run={node.run} tree={tree} />
          <RunDetail run={node.run} tree={tree} />
        </section>
      )}
    </div>
  );
}

function Branch({ node, top }: { node: TreeNode; top: string }) {
  return (
    <li>
      <a href={hrefOf({ view: 'run', top, selected: node.run.run_id })}>{node.run.agent}</a> {node.run.status}
      <ul>
        {node.children.map((child) => (
          <Branch key={child.run.run_id} node={child} top={top} />
        ))}
      </ul>
    </li>
  );
}
