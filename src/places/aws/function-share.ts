import { readShare } from '../store/rollout-share.ts';
import type { Table } from '../store/table.ts';
import { functionStore } from './store/cloud-store.ts';

/** Reads the share that people have set for a rollout; opens the table only if there is one. */
export function functionShare(): (rollout: string) => Promise<number | undefined> {
  let table: Table | undefined;
  return async (rollout) => (await readShare((table ??= functionStore().table), rollout))?.next;
}
