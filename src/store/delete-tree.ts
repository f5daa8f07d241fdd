import { parseRunId } from '../runs/run-id.ts';
import type { Run } from '../runs/run.ts';
import type { Documents } from './documents.ts';
import { fromKept } from './kept.ts';
import type { Key, Table } from './table.ts';

/**
 * Removes the tree that the run belongs to. The record of its top goes last, since a tree is found by that: a deletion
 * that was cut short can be done again.
 */
export async function deleteTree(id: string, table: Table, documents: Documents): Promise<void> {
  const { key } = parseRunId(id);
  const rest: Key[] = [];
  for await (const item of table.query(`tree#${key}`, '')) {
    if (item.key.sort.startsWith('run#')) {
      const run = fromKept<Run>(item.value, `${item.key.partition} ${item.key.sort}`);
      await documents.deletePartition(`run#${run.id}`);
    }
    rest.push(item.key);
  }
  const top = { partition: `tree#${key}`, sort: 'run#' };
  for (const each of rest) if (each.sort !== top.sort) await table.delete(each);
  await table.delete(top);
  await table.delete({ partition: 'runs', sort: key });
}
