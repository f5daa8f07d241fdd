import type { BatchMember, PendingTurn } from '../records/batched.ts';
import { bucketOf } from '../records/batched.ts';
import type { Batches } from '../records/ports.ts';
import type { Instant } from '../records/times.ts';

/** Opens a bucket: from then on something looks at it until all is done. */
export type OpenBucket = (bucket: string, model: string) => Promise<void>;

interface JoiningPorts {
  batches: Batches;
  openBucket: OpenBucket;
  now: () => Instant;
}

export function memberOf(run: string, { id, turn, body }: PendingTurn): BatchMember {
  return { id, run, turn, bytes: Buffer.byteLength(body) };
}

/**
 * Puts a pending turn into the bucket of its minute or, if that has been made into batches without it, into the next
 * one. A joining process writes the member first and then looks whether the bucket is sealed; sealing comes before the
 * members are read. So at least one of the two sees the other. If nothing is planned yet, whoever reads the members
 * again after planning sees it (`moveOn`). Anybody may repeat any step.
 * @returns the bucket that it is in
 */
export async function joinBucket(
  run: string,
  pending: PendingTurn,
  { batches, openBucket, now }: JoiningPorts,
): Promise<string> {
  for (let later = 0; ; later++) {
    const bucket = bucketOf(pending, later);
    await batches.joinBucket(bucket, memberOf(run, pending));
    const { started, sealed, plan } = await batches.bucket(bucket);
    if (started === undefined) {
      await openBucket(bucket, pending.model);
      await batches.noteBucket(bucket, 'started', { at: now() });
    }
    const isIn = plan?.parts.some((part) => part.some(({ id }) => id === pending.id));
    if (sealed === undefined || isIn !== false) return bucket;
  }
}
