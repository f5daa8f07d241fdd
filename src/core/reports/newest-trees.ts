import type { ListedTree, WantedTrees } from '../records/listed-trees.ts';
import { OPEN, isIn } from '../records/phase.ts';
import type { RunReader } from '../records/ports.ts';
import type { Run, RunStatus } from '../records/run.ts';
import { isOfPack } from '../agent-schema/packs.ts';
import { termsOf } from '../../terms.ts';
import { shownStatus, shownTree, type ShownRun, type ShownTreeReader } from './shown-tree.ts';

/** Which trees are meant, by the run at the top. */
export interface AskedTrees extends Omit<WantedTrees, 'statuses' | 'terms' | 'accepts'> {
  /** As it is shown. */
  status?: ShownRun['status'] | undefined;
  version?: string | undefined;
  /** The name of a pack, or the folder that it is of. */
  pack?: string | undefined;
  /** Words, all of which occur in the tree. */
  text?: string | undefined;
}

/** A run at the top of a tree, at this moment, with all of the tree. */
export interface ShownTree {
  top: ShownRun;
  tree: ShownRun[];
  /** The run that most of the wanted words were found in. */
  found?: string;
}

type Records = ShownTreeReader & Pick<RunReader, 'listTrees'>;

/** The newest trees first, however many have to be looked through. */
export async function newestTrees(records: Records, asked: AskedTrees): Promise<ShownTree[]> {
  const trees: ShownTree[] = [];
  let after: string | undefined = asked.after;
  do {
    const page = await askedTrees(records, { ...asked, after, limit: asked.limit - trees.length });
    trees.push(...(await Promise.all(page.trees.map((listed) => shown(listed, records)))));
    after = page.next;
  } while (after !== undefined && trees.length < asked.limit);
  return trees;
}

async function shown({ top, found }: ListedTree, records: ShownTreeReader): Promise<ShownTree> {
  const tree = await shownTree(top, records);
  return {
    top: tree.find(({ id }) => id === top.id) ?? top,
    tree,
    ...(found !== undefined && { found }),
  };
}

/** One page of them, with where the next one begins. */
export async function askedTrees(
  records: Pick<RunReader, 'isCarriedOut' | 'listTrees'>,
  { status, version, pack, text, ...wanted }: AskedTrees,
) {
  const accepts = async (top: Run) => {
    if (version !== undefined && top.version !== version) return false;
    if (pack !== undefined && (top.pack === undefined || !isOfPack(top.pack, pack))) return false;
    if (status === undefined || !isIn(OPEN, top)) return true;
    return shownStatus(top, !(await records.isCarriedOut(top.root))) === status;
  };
  return records.listTrees({
    ...wanted,
    statuses: status === undefined ? undefined : storedAs(status),
    terms: text === undefined ? undefined : termsOf(text),
    accepts,
  });
}

function storedAs(status: ShownRun['status']): RunStatus[] {
  return status === 'interrupted' ? ['running', 'idle'] : [status];
}
