import { treeKey } from '../../core/records/run-id.ts';
import type { Run } from '../../core/records/run.ts';
import { daysBetween } from '../../core/records/spending.ts';
import type { Documents } from './documents.ts';
import { OPEN_QUESTIONS, OPEN_TREES, SPENT, TREES, UNSUCCESSFUL, WORDS } from './partitions.ts';
import { markStale } from './spent-in-all.ts';
import { fromItem } from './stored.ts';
import type { Key, Table } from './table.ts';
import { watchKey } from './watching.ts';

/**
 * Removes the tree that the run belongs to. The record of its top goes last, since a tree is found by that: a deletion
 * that was cut short can be done again.
 */
export async function deleteTree(id: string, table: Table, documents: Documents): Promise<void> {
  const key = treeKey(id);
  await deleteSpent(key, table);
  await deleteAll(WORDS, `${key}#`, table);
  await table.delete(watchKey(id));
  const tops: Key[] = [];
  for await (const item of table.query(`tree#${key}`, '')) {
    if (item.key.sort.startsWith('run#')) {
      const run = fromItem<Run>(item);
      await documents.deletePartition(`run#${run.id}`);
      if (run.parent === undefined) {
        tops.push(item.key);
        continue;
      }
    }
    await table.delete(item.key);
  }
  for (const top of tops) await table.delete(top);
  await deleteAll(OPEN_QUESTIONS, `${key}#`, table);
  for (const partition of [OPEN_TREES, UNSUCCESSFUL, TREES]) await table.delete({ partition, sort: key });
}

async function deleteAll(partition: string, prefix: string, table: Table): Promise<boolean> {
  let isAny = false;
  for await (const item of table.query(partition, prefix)) {
    await table.delete(item.key);
    isAny = true;
  }
  return isAny;
}

/** Of each day on which a run of the tree may have made a turn. */
async function deleteSpent(key: string, table: Table): Promise<void> {
  const times: string[] = [];
  for await (const item of table.query(`tree#${key}`, 'run#')) {
    const { startedAt, resumedAt, endedAt } = fromItem<Run>(item);
    times.push(startedAt, resumedAt ?? startedAt, endedAt ?? startedAt);
  }
  times.sort();
  for (const day of daysBetween(times[0], times.at(-1))) {
    if (await deleteAll(SPENT, `${day}#${key}#`, table)) await markStale(day, table);
  }
}
