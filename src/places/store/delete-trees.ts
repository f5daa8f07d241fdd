import type { Ledger } from '../../core/records/ledger.ts';
import { treeKey } from '../../core/records/run-id.ts';
import type { Run } from '../../core/records/run.ts';
import { daysBetween } from '../../core/records/spending.ts';
import type { Documents } from './documents.ts';
import { OPEN_QUESTIONS, OPEN_TREES, SPENT, TREES, UNSUCCESSFUL, WORDS } from './partitions.ts';
import { agentEntry, statusKey, UNSUCCESSFUL_ENDS } from './index-entries.ts';
import { markStale } from './spent-in-all.ts';
import { fromItem } from './stored.ts';
import { deleteItems, keysOf, type Item, type Key, type Table } from './table.ts';
import { watchKey } from './watching.ts';

/**
 * Removes the trees that the runs belong to. The record of a top goes last of all records, since its tree is found by
 * it: an interrupted deletion can be repeated.
 * @returns how many runs each of them had
 */
export async function deleteTrees(
  ids: readonly string[],
  table: Table,
  documents: Documents,
): Promise<number[]> {
  const trees = await Promise.all(ids.map((id) => readTree(id, table)));
  const spent = await Promise.all(trees.map((tree) => keysOfSpent(tree, table)));
  await deleteItems(spent.flat(), table);
  // Including days without any findings: an interrupted deletion may have come to this point.
  for (const day of new Set(trees.flatMap(({ days }) => days))) await markStale(day, table);
  const others = await Promise.all(trees.map((tree) => keysOfRest(tree, table, documents)));
  await deleteItems(others.flat(), table);
  return trees.map(({ runs }) => runs.length);
}

/** What is kept of a tree itself. */
interface KeptTree {
  id: string;
  key: string;
  items: Item[];
  runs: Run[];
  /** Those on which a run of it may have made a turn. */
  days: string[];
}

async function readTree(id: string, table: Table): Promise<KeptTree> {
  const key = treeKey(id);
  const items: Item[] = [];
  for await (const item of table.query(`tree#${key}`, '')) items.push(item);
  const runs = items
    .filter(({ key: { sort } }) => sort.startsWith('run#'))
    .map((item) => fromItem<Run>(item));
  const times = runs
    .flatMap(({ startedAt, resumedAt, endedAt }) => [startedAt, resumedAt ?? startedAt, endedAt ?? startedAt])
    .sort();
  return { id, key, items, runs, days: daysBetween(times[0], times.at(-1)) };
}

async function keysOfSpent({ key, days }: KeptTree, table: Table): Promise<Key[]> {
  const found = await Promise.all(days.map((day) => keysOf(SPENT, `${day}#${key}#`, table)));
  return found.flat();
}

/** All else, in the order in which it goes. */
async function keysOfRest(
  { id, key, items, runs }: KeptTree,
  table: Table,
  documents: Documents,
): Promise<Key[]> {
  const tops = runs.filter(({ parent }) => parent === undefined);
  const isTop = (item: Item) => tops.some((top) => item.key.sort === `run#${top.id}`);
  const keys = [...(await keysOf(WORDS, `${key}#`, table)), watchKey(id)];
  for (const top of tops) {
    keys.push(agentEntry(top).key);
    if (hasEndedOtherwise(top)) for (const status of UNSUCCESSFUL_ENDS) keys.push(statusKey(status, top));
  }
  // Of one that was never begun, what was asked for is all there is.
  for (const run of new Set([...(await unopened(runs, table)), ...runs.map((one) => one.id), id])) {
    const pending = await keysOf(`run#${run}`, 'pending#', table);
    // Few runs have asked models in batches.
    if (pending.length > 0)
      await (await import('./leave-buckets.ts')).leaveBuckets(pending, table, documents);
    keys.push(...(await documents.clear(`run#${run}`)));
  }
  for (const item of [...items.filter((one) => !isTop(one)), ...items.filter(isTop)]) keys.push(item.key);
  keys.push(...(await keysOf(OPEN_QUESTIONS, `${key}#`, table)));
  for (const partition of [OPEN_TREES, UNSUCCESSFUL, TREES]) keys.push({ partition, sort: key });
  return keys;
}

/** Whether a tree may have ended without success, now or before it went on. */
function hasEndedOtherwise({ status, holder, resumedAt }: Run): boolean {
  return UNSUCCESSFUL_ENDS.has(status) || holder > 1 || resumedAt !== undefined;
}

/** Sub-agents that got a share of a budget and were never opened: they have ledgers, and no records. */
async function unopened(runs: readonly Run[], table: Table): Promise<string[]> {
  const known = new Set(runs.map(({ id }) => id));
  const ledgers = await Promise.all(
    runs.map(({ id }) => table.get({ partition: `run#${id}`, sort: 'ledger' })),
  );
  const shared = ledgers.flatMap((item) => (item && Object.keys(fromItem<Ledger>(item).shares)) ?? []);
  return shared.filter((id) => !known.has(id));
}
