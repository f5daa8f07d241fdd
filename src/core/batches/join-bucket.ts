import type { BatchMember, PendingTurn } from '../records/batched.ts';
import { bucketOf } from '../records/batched.ts';
import type { Batches } from '../records/ports.ts';
import type { Instant } from '../records/times.ts';

/** How a bucket is opened: from then on something looks at it, until all is done. */
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
 * Puts a pending turn into the bucket of its minute or, where that has been made into batches without it, into the next
 * one. Whoever does so writes the member first and then looks whether the bucket is sealed; the bucket is sealed first,
 * and its members are read then: so one of both sees the other. Where nothing is planned yet, it is seen by whoever reads
 * the members once more behind the plan (`moveOn`). All steps may be repeated, by anybody.
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
