import { replace } from './replace.ts';
import { fromItem } from './stored.ts';
import type { Key, Table } from './table.ts';

const SWEPT: Key = { partition: 'index', sort: 'swept' };

/** When trees were last swept, for those who look whether they are. */
export async function readLastSweep(table: Table): Promise<string | undefined> {
  const item = await table.get(SWEPT);
  return item && fromItem<{ at: string }>(item).at;
}

export async function noteSweep(table: Table, at: string): Promise<void> {
  await replace(table, SWEPT, { at }, 'the note of the last sweep changes too often; try again');
}
