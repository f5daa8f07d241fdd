import { treeKey } from '../../core/records/run-id.ts';
import type { Run } from '../../core/records/run.ts';
import type { Documents } from './documents.ts';
import { fromItem } from './stored.ts';
import { OPEN_QUESTIONS } from './questions.ts';
import type { Key, Table } from './table.ts';

/**
 * Removes the tree that the run belongs to. The record of its top goes last, since a tree is found by that: a deletion
 * that was cut short can be done again.
 */
export async function deleteTree(id: string, table: Table, documents: Documents): Promise<void> {
  const key = treeKey(id);
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
  for await (const item of table.query(OPEN_QUESTIONS, `${key}#`)) await table.delete(item.key);
  await table.delete({ partition: 'runs', sort: key });
}
