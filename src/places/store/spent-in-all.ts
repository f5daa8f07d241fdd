import type { SpendingSum } from '../../core/records/spending.ts';
import { SPENT_IN_ALL } from './index-entries.ts';
import { replace } from './replace.ts';
import type { Table } from './table.ts';

/** What was spent on a day, added up; undefined where it has to be again, since an entry came late. */
export type DayEntry = { isStale: true } | { isStale?: never; spendings: SpendingSum[] };

/** What was added up of a day has to be added up again. The entry that came late is there by now. */
export async function markStale(day: string, table: Table): Promise<void> {
  const key = { partition: SPENT_IN_ALL, sort: day };
  if ((await table.get(key)) === undefined) return;
  await replace(table, key, { isStale: true }, `the costs of ${day} change too often to be noted; try again`);
}
