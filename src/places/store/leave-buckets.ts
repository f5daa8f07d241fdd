import { bucketOf, type PendingTurn } from '../../core/records/batched.ts';
import { batchKey, bucketPartition, createBatches, memberKey } from './batches.ts';
import type { Documents } from './documents.ts';
import { deleteItems, type Key, type Table } from './table.ts';

/**
 * Takes the pending turns of a run that is about to be removed out of their buckets, and removes buckets that are then
 * empty. Of trees that leave a bucket at once, the last one finds it empty. This has to come before the turns
 * themselves are removed, so that it can be repeated.
 */
export async function leaveBuckets(
  pending: readonly Key[],
  table: Table,
  documents: Documents,
): Promise<void> {
  for (const key of pending) {
    const turn = await documents.get<PendingTurn>(key);
    if (turn === undefined) continue;
    // It was moved on from one to the next.
    for (let later = 0; ; later++) {
      const bucket = bucketOf(turn, later);
      const member = memberKey(bucket, turn.id);
      if ((await table.get(member)) === undefined) break;
      await table.delete(member);
      await removeIfLeft(bucket, table, documents);
    }
  }
}

async function removeIfLeft(bucket: string, table: Table, documents: Documents): Promise<void> {
  const batches = createBatches(table, documents);
  if ((await batches.bucketMembers(bucket)).length > 0) return;
  const { parts } = await batches.bucket(bucket);
  const names = [...parts.values()].flatMap(({ submitted }) => submitted?.batch ?? []);
  await deleteItems([...names.map(batchKey), ...(await documents.clear(bucketPartition(bucket)))], table);
}
