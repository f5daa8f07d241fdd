import { ModelError } from '../../errors.ts';
import type { BatchApi } from '../model/batch-api.ts';
import type { BatchMember, PartClaim } from '../records/batched.ts';
import { isIn, UNDER_WAY } from '../records/phase.ts';
import type { Batches } from '../records/ports.ts';
import type { Instant } from '../records/times.ts';
import type { BatchPorts } from './ports.ts';

/** One batch of a bucket. */
export interface Part {
  bucket: string;
  number: number;
  members: BatchMember[];
  model: string;
  api: BatchApi;
  batches: Batches;
}

/** How long one attempt may take, the upload included. */
const CREATED_WITHIN_MS = 100_000;
/** So long after that, a batch that it made would be listed. */
const LISTED_WITHIN_MS = 120_000;
const LOOK_AGAIN_MS = 30_000;

/** Statuses of refusals that may pass, or despite which there may be a batch. */
const UNSURE = [408, 409, 425, 429];

/**
 * Creates a batch, once. No provider promises that a repeated request makes no second batch, so an attempt is noted
 * before it is made. If its outcome is unknown, the batch is looked for among existing ones; only if none shows is
 * there another attempt.
 * @returns when to look again
 */
export async function createPart(
  { claims, ...part }: Part & { claims: readonly PartClaim[] },
  ports: BatchPorts,
  signal: AbortSignal,
): Promise<Instant> {
  const { bucket, number, api, batches } = part;
  const { now } = ports;
  const last = claims.at(-1);
  if (last !== undefined) {
    for (const claim of claims) {
      const found = await api.find({ name: nameOf(part), requests: claim.requests, since: claim.at }, signal);
      for (const batch of found) if (await submitted(batch, part, now())) return now();
    }
    const listed = last.at + CREATED_WITHIN_MS + LISTED_WITHIN_MS;
    if (now() < listed) return Math.min(listed, now() + LOOK_AGAIN_MS);
  }
  const wanted = await wantedOf(part, ports);
  if (wanted.length === 0) {
    await batches.notePart(bucket, number, 'submitted', { at: now() });
    return now();
  }
  const own = { at: now(), by: ports.invocation(), requests: wanted.length };
  const claim = await batches.claimPart(bucket, number, claims.length, own);
  if (claim.by !== own.by) return now() + LOOK_AGAIN_MS;
  // Others count from the note on: a process that stood still since makes no attempt of which they know nothing.
  const left = own.at + CREATED_WITHIN_MS - now();
  if (left <= 0) return now();
  try {
    const batch = await create(wanted, part, AbortSignal.any([signal, AbortSignal.timeout(left)]));
    return (await submitted(batch, part, now())) ? now() : now() + LOOK_AGAIN_MS;
  } catch (thrown) {
    if (!(thrown instanceof ModelError)) throw thrown;
    const { status = 0 } = thrown.details;
    if (status < 400 || status >= 500 || UNSURE.includes(status)) return now() + LOOK_AGAIN_MS;
    await refuse(wanted, thrown, part, now());
    return now();
  }
}

/** The name of the batch, for providers that keep one. */
function nameOf({ bucket, number }: Part): string {
  return `${bucket}-${number}`;
}

async function create(wanted: readonly BatchMember[], part: Part, signal: AbortSignal): Promise<string> {
  const { batches } = part;
  const pending = await Promise.all(wanted.map(({ run, turn }) => batches.pendingTurn(run, turn)));
  const requests = pending.filter((one) => one !== undefined);
  const [{ endpoint } = { endpoint: '' }] = requests;
  return part.api.create({ name: nameOf(part), endpoint, requests }, signal);
}

/** Notes which batch it became. @returns false if that is another's, or there was one before */
async function submitted(batch: string, { bucket, number, batches }: Part, at: Instant): Promise<boolean> {
  if (!(await batches.nameBatch(batch, { bucket, part: number }))) return false;
  await batches.notePart(bucket, number, 'submitted', { at, batch });
  return true;
}

/** The API refuses the whole part: each of its turns is told why, and decides for itself. */
async function refuse(
  wanted: readonly BatchMember[],
  { category, detail }: ModelError,
  { bucket, number, batches }: Part,
  at: Instant,
): Promise<void> {
  const failed = { category, message: detail };
  for (const { run, turn } of wanted) await batches.saveBatchedResult(run, turn, { at, result: { failed } });
  await batches.notePart(bucket, number, 'submitted', { at });
}

/** Those that are still waited for. */
async function wantedOf({ members, batches }: Part, { store }: BatchPorts): Promise<BatchMember[]> {
  const wanted: BatchMember[] = [];
  for (const member of members) {
    const [run, result] = await Promise.all([
      store.run(member.run),
      batches.batchedResult(member.run, member.turn),
    ]);
    if (run !== undefined && isIn(UNDER_WAY, run) && result === undefined) wanted.push(member);
  }
  return wanted;
}
