import type { RunReader } from '../records/ports.ts';
import { shownTree, type ShownRun, type ShownTreeReader } from './shown-tree.ts';

/** Which trees are meant, by the run at the top. */
export interface AskedTrees {
  agent?: string | undefined;
  status?: ShownRun['status'] | undefined;
  /** How many at most. */
  limit: number;
}

/** A run at the top of a tree, as it is at this moment, with all of the tree. */
export interface ShownTree {
  top: ShownRun;
  tree: ShownRun[];
}

/** The newest trees first. */
export async function newestTrees(
  records: ShownTreeReader & Pick<RunReader, 'roots'>,
  { agent, status, limit }: AskedTrees,
): Promise<ShownTree[]> {
  const trees: ShownTree[] = [];
  const isNarrowed = agent !== undefined || status !== undefined;
  for await (const run of records.roots(isNarrowed ? Infinity : limit)) {
    if (agent !== undefined && run.agent !== agent) continue;
    const tree = await shownTree(run, records);
    const top = tree.find(({ id }) => id === run.id);
    if (top === undefined || (status !== undefined && top.status !== status)) continue;
    trees.push({ top, tree });
    if (trees.length === limit) break;
  }
  return trees;
}
