import { ModelError } from '../../errors.ts';
import type { BatchMember, PartNotes } from '../records/batched.ts';
import { isIn, UNDER_WAY } from '../records/phase.ts';
import type { Instant } from '../records/times.ts';
import type { Part } from './create-part.ts';
import type { BatchPorts } from './ports.ts';
import { chargeUnused, settlePart } from './settle-part.ts';

/** Most batches are done within an hour: look every minute at first, and every five minutes later. */
const LOOK_MS = { most: 300_000, least: 60_000 };

/**
 * Looks at a batch and, once it is over, delivers its answers: the result of each request is stored for its turn, whose
 * execution is then woken. A batch that nobody waits for any more is cancelled.
 * @returns when to look again
 */
export async function followPart(
  part: Part & { submitted: NonNullable<PartNotes['submitted']>; isCancelled: boolean },
  ports: BatchPorts,
  signal: AbortSignal,
): Promise<Instant> {
  const { bucket, number, api, batches, submitted, isCancelled } = part;
  const { now } = ports;
  const { batch, at } = submitted;
  if (batch !== undefined && !(await isOver(part, batch, signal))) {
    if (!isCancelled && !(await isAnyWaiting(part.members, ports))) {
      await api.cancel(batch, signal);
      await batches.notePart(bucket, number, 'cancelled', { at: now() });
    }
    return now() + Math.min(LOOK_MS.most, Math.max(LOOK_MS.least, (now() - at) / 10));
  }
  if (batch !== undefined) await deliver(part, batch, ports, signal);
  for (const { run, turn } of part.members) {
    await batches.saveBatchedResult(run, turn, { at: now(), result: { expired: true } });
  }
  await batches.notePart(bucket, number, 'delivered', { at: now() });
  await settlePart(part, ports, signal);
  return now() + LOOK_MS.least;
}

/** One that the provider does not have any more is over. */
async function isOver({ api }: Part, batch: string, signal: AbortSignal): Promise<boolean> {
  try {
    return await api.isOver(batch, signal);
  } catch (thrown) {
    if (thrown instanceof ModelError && thrown.details.status === 404) return true;
    throw thrown;
  }
}

async function deliver(part: Part, batch: string, ports: BatchPorts, signal: AbortSignal): Promise<void> {
  const { api, batches, members } = part;
  const byId = new Map(members.map((member) => [member.id, member]));
  try {
    for await (const { id, result } of api.results(batch, signal)) {
      const member = byId.get(id);
      if (member === undefined) continue;
      const { run, turn } = member;
      const kept = await batches.saveBatchedResult(run, turn, { at: ports.now(), result });
      if ('answered' in result && !('answered' in kept.result)) {
        await chargeUnused(member, result.answered, part, ports);
      }
    }
  } catch (thrown) {
    if (!(thrown instanceof ModelError && thrown.details.status === 404)) throw thrown;
  }
}

/** Mostly the first one that is read is. */
async function isAnyWaiting(members: readonly BatchMember[], { store }: BatchPorts): Promise<boolean> {
  for (const { run: id } of members) {
    const run = await store.run(id);
    if (run !== undefined && isIn(UNDER_WAY, run)) return true;
  }
  return false;
}
