import { treeKey } from '../../src/core/records/run-id.ts';
import type { RunStore } from '../../src/core/records/ports.ts';
import type { Item, Key, Table } from '../../src/places/store/table.ts';
import { Death } from '../../test/fixtures/mortal.ts';
import type { Choices } from '../choices.ts';
import type { Account } from '../world/account.ts';
import { keptOn, tableThrough } from '../world/function-ports.ts';

/** A table that knows all of its keys. */
export interface ListedTable extends Table {
  items(): Promise<Item[]>;
}

export function listed(table: Table): ListedTable {
  const keys = new Map<string, Key>();
  const note = (key: Key) => void keys.set(nameOf(key), key);
  return {
    ...table,
    putIfAbsent(key, value, options) {
      [key, ...(options?.ahead ?? []).map((one) => one.key)].forEach(note);
      return table.putIfAbsent(key, value, options);
    },
    putIfVersion(key, value, version, options) {
      [key, ...(options?.ahead ?? []).map((one) => one.key)].forEach(note);
      return table.putIfVersion(key, value, version, options);
    },
    async items() {
      const items = await Promise.all([...keys.values()].map((key) => table.get(key)));
      return items.filter((item) => item !== undefined);
    },
  };
}

function nameOf({ partition, sort }: Key): string {
  return `${partition} ${sort}`;
}

/** If a removal dies, then at one of its first operations. */
const MOST_OPERATIONS = 100;

/**
 * An administrator removes a tree in a folder. The process may die, and is then started again.
 * @returns what is wrong afterwards
 */
export async function removeTree(table: ListedTable, root: string, { upTo }: Choices): Promise<string[]> {
  const before = await table.items();
  let left = upTo(MOST_OPERATIONS);
  const mortal = tableThrough(table, async (effect) => {
    if (left-- === 0) throw new Death();
    return effect();
  });
  for (const each of [mortal, table]) {
    await keptOn(each)
      .store.deleteTrees([root])
      .catch((thrown: unknown) => {
        if (!(thrown instanceof Death)) throw thrown;
      });
  }
  const after = new Map((await table.items()).map((item) => [nameOf(item.key), item]));
  return before.flatMap((item) => {
    const name = nameOf(item.key);
    if (isOf(item, root)) return after.has(name) ? [`${name} is left of ${root}, which was removed`] : [];
    const isOfAll = item.key.partition.startsWith('spent-in-all');
    return isOfAll || after.get(name)?.version === item.version
      ? []
      : [`${name} has gone or changed with ${root}, which was removed`];
  });
}

/**
 * The records of a tree expire in a deployed environment, one after another in any order; in between, people look and
 * trees are swept.
 * @returns what is wrong with that
 */
export async function letExpire(
  table: ListedTable,
  root: string,
  { store, sweep }: Pick<Account, 'store' | 'sweep'>,
  { happens, upTo }: Choices,
): Promise<string[]> {
  const expiring = (await table.items()).filter((item) => isOf(item, root));
  while (expiring.length > 0) {
    const [item] = expiring.splice(upTo(expiring.length - 1), 1);
    if (item !== undefined) await table.delete(item.key);
    if (!happens(SELDOM)) continue;
    await lookAtAll(store());
    await sweep();
  }
  const page = await store().listTrees({ limit: MOST_TREES });
  return page.trees.some(({ top }) => top.id === root) ? [`${root} has expired, and is listed`] : [];
}

/** How often anybody looks while records expire; a tree has some hundreds of them. */
const SELDOM = 0.02;

const MOST_TREES = 100;

async function lookAtAll(store: RunStore): Promise<void> {
  for await (const tree of await store.openTrees()) void tree;
  for await (const question of store.openQuestions()) void question;
  for await (const run of store.roots(MOST_TREES)) {
    for (const { id } of await store.tree(run.id)) await Promise.all([store.turns(id), store.opened(id)]);
  }
}

/** Whether an item belongs to a tree, by its key. What agents remember outlives their trees. */
function isOf({ key }: Item, root: string): boolean {
  return !key.partition.startsWith('memory') && nameOf(key).includes(treeKey(root));
}
