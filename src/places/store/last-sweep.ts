import { replace } from './replace.ts';
import { fromItem } from './stored.ts';
import type { Key, Table } from './table.ts';

const SWEPT: Key = { partition: 'index', sort: 'swept' };

interface LastSweep {
  at: string;
  /** The tree behind which the next one goes on; absent: none is left. */
  last?: string;
}

/** When trees were last swept, for those who look whether they are, and for the next sweep. */
export async function readLastSweep(table: Table): Promise<LastSweep | undefined> {
  const item = await table.get(SWEPT);
  return item && fromItem<LastSweep>(item);
}

export async function noteSweep(table: Table, sweep: LastSweep): Promise<void> {
  await replace(table, SWEPT, { ...sweep }, 'the note of the last sweep changes too often; try again');
}
