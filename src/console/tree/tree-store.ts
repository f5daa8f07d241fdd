import type { RunOverview } from '../../reports/run-schemas.ts';

/** A run of the tree, with its place in it. The store changes it in place; what it shows is in `run`, which is replaced. */
export interface TreeNode {
  run: RunOverview;
  parent: TreeNode | undefined;
  /** In the order of the calls that started them. */
  children: TreeNode[];
}

/**
 * All runs of a tree, and who wants to know of changes. Changes are told once per animation frame at most, however many
 * there are.
 */
export class TreeStore {
  readonly #nodes = new Map<string, TreeNode>();
  readonly #listeners = new Set<() => void>();
  #frame = 0;

  /** The run at the top; undefined until it is known. */
  root: TreeNode | undefined;

  node(id: string): TreeNode | undefined {
    return this.#nodes.get(id);
  }

  /** Takes runs as they are now: new ones, and newer states of those that are known. */
  put(runs: readonly RunOverview[]): void {
    for (const run of runs) this.#put(run);
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      for (const listener of this.#listeners) listener();
    });
  }

  /** @returns what ends that */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #put(run: RunOverview): void {
    const known = this.#nodes.get(run.run_id);
    if (known !== undefined) {
      known.run = run;
      return;
    }
    const parent = run.parent === undefined ? undefined : this.#nodes.get(run.parent.run);
    const node: TreeNode = { run, parent, children: [] };
    this.#nodes.set(run.run_id, node);
    if (parent === undefined) this.root ??= node;
    else parent.children.push(node);
  }
}
