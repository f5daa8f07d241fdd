import type { RunOverview } from '../../../core/reports/run-schemas.ts';
import { addTo, NOTHING, totalsOf, type Totals } from './totals.ts';

/** A run of the tree with its place in it. The facts about the run are replaced, everything else is kept up to date. */
export interface TreeNode {
  run: RunOverview;
  /** Undefined at the top, and for a run whose parent is not known yet. */
  parent: TreeNode | undefined;
  /** In the order of the calls that started them. */
  children: TreeNode[];
  /** Of the run with everything below it. */
  totals: Totals;
}

/**
 * All runs of a tree, and their listeners. Listeners are called once per animation frame at most, however many there
 * are; a change of one run touches only that run and those above it.
 */
export class TreeStore {
  /** The id of the run at the top. */
  readonly top: string;
  /** Counts the changes; and those of the tree's shape: runs that are new in it. */
  version = 0;
  shape = 0;
  /** When the last ended run ended, in milliseconds since 1970. */
  lastEnd = 0;

  readonly #nodes = new Map<string, TreeNode>();
  /** Runs that became known before their parents, by the parent's id. */
  readonly #waiting = new Map<string, TreeNode[]>();
  readonly #listeners = new Set<() => void>();
  readonly #refreshers = new Set<() => void>();
  /** Whether listeners are called with the next frame anyway. */
  #isTelling = false;

  constructor(top: string) {
    this.top = top;
  }

  /** The run at the top; undefined until it is known. */
  get root(): TreeNode | undefined {
    return this.#nodes.get(this.top);
  }

  node(id: string): TreeNode | undefined {
    return this.#nodes.get(id);
  }

  nodes(): Iterable<TreeNode> {
    return this.#nodes.values();
  }

  /** Takes runs as they are now: new ones, and newer states of those that are known. */
  put(runs: readonly RunOverview[]): void {
    if (runs.length === 0) return;
    for (const run of runs) this.#put(run);
    this.version += 1;
    if (this.#isTelling) return;
    this.#isTelling = true;
    requestAnimationFrame(() => {
      this.#isTelling = false;
      for (const listener of this.#listeners) listener();
    });
  }

  /** @returns a function that ends the subscription */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Reads the tree again and follows it from now on: an ended tree sends nothing more otherwise. */
  refresh(): void {
    for (const refresher of this.#refreshers) refresher();
  }

  /** @returns a function that removes the refresher */
  onRefresh(refresher: () => void): () => void {
    this.#refreshers.add(refresher);
    return () => void this.#refreshers.delete(refresher);
  }

  #put(run: RunOverview): void {
    if (run.ended_at !== null) this.lastEnd = Math.max(this.lastEnd, Date.parse(run.ended_at));
    const known = this.#nodes.get(run.run_id);
    if (known === undefined) {
      this.#insert({ run, parent: undefined, children: [], totals: { ...NOTHING } });
      return;
    }
    const before = totalsOf(known.run);
    known.run = run;
    addAbove(known, before, -1);
    addAbove(known, totalsOf(run), 1);
  }

  #insert(node: TreeNode): void {
    const { run_id: id } = node.run;
    this.#nodes.set(id, node);
    this.shape += 1;
    addTo(node.totals, totalsOf(node.run), 1);
    const orphans = this.#waiting.get(id) ?? [];
    this.#waiting.delete(id);
    for (const child of orphans) adopt(node, child);
    const above = id === this.top ? undefined : node.run.parent?.run;
    if (above === undefined) return;
    const parent = this.#nodes.get(above);
    if (parent !== undefined) adopt(parent, node);
    else this.#waiting.set(above, [...(this.#waiting.get(above) ?? []), node]);
  }
}

function adopt(parent: TreeNode, child: TreeNode): void {
  Object.assign(child, { parent });
  const { children } = parent;
  let at = children.length;
  // They mostly come in their order.
  for (let last; at > 0 && (last = children[at - 1]) !== undefined && isBefore(child.run, last.run);) at -= 1;
  children.splice(at, 0, child);
  addAbove(parent, child.totals, 1);
}

function isBefore({ parent: one }: RunOverview, { parent: other }: RunOverview): boolean {
  if (one === undefined || other === undefined) return false;
  return one.turn < other.turn || (one.turn === other.turn && one.call < other.call);
}

function addAbove(node: TreeNode, more: Readonly<Totals>, sign: 1 | -1): void {
  for (let at: TreeNode | undefined = node; at !== undefined; at = at.parent) addTo(at.totals, more, sign);
}
