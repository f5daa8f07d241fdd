import * as v from 'valibot';
import { eachInTurn } from '../../each-in-turn.ts';
import { AgentError } from '../../errors.ts';
import { closingOf, isBucket, type BatchMember, type BucketPlan } from '../records/batched.ts';
import type { Batches } from '../records/ports.ts';
import type { Instant } from '../records/times.ts';
import { followPart } from './follow-part.ts';
import { joinBucket } from './join-bucket.ts';
import { toParts } from './parts.ts';
import type { BatchPorts } from './ports.ts';
import { settlePart } from './settle-part.ts';
import { createPart } from './create-part.ts';

const LookInput = v.object({
  bucket: v.pipe(v.string(), v.check(isBucket, 'it is not the name of a bucket')),
  /** `provider/model-name`. */
  model: v.string(),
});

/** The result of a look at a bucket: when to look again, ISO 8601 in UTC; or that all is done. */
export type BucketLook = { next: 'look'; at: string } | { next: 'done' };

/** Whoever has not taken an answer after so long does not want it. */
const TAKEN_WITHIN_MS = 86_400_000;

/** How soon to look whether answers were taken, and how rarely in the end. */
const TAKEN_MS = { first: 60_000, later: 3_600_000 };

/**
 * Takes the next step for a bucket of pending turns: seals it, creates its batches, looks whether these are over,
 * delivers their answers, and makes sure that every answer is used or charged. Every step is noted in the store, so any
 * invocation continues where another died, and two may work at the same time.
 * @throws {AgentError} if the model's provider has no batches any more
 */
export async function advanceBucket(
  event: unknown,
  ports: BatchPorts,
  signal: AbortSignal,
): Promise<BucketLook> {
  const { bucket, model } = v.parse(LookInput, event);
  const { store, now } = ports;
  const batches = await store.batches();
  const notes = await batches.bucket(bucket);
  if (notes.settled !== undefined) return { next: 'done' };
  if (now() < closingOf(bucket)) return later(closingOf(bucket));
  const api = await (await ports.models.open(model)).model.batches?.();
  if (api === undefined) throw new AgentError(`the provider of "${model}" has no batches`);
  const plan = notes.plan ?? (await seal(bucket, batches, now()));
  const known = { bucket, model, api, batches };
  const looks: Instant[] = [];
  const isOpen = plan.parts.some((_, part) => notes.parts.get(part)?.submitted === undefined);
  const late = isOpen ? await lateMembers(bucket, plan, batches) : [];
  const works = [
    ...late.map((member) => () => moveOn(member, { ...ports, batches })),
    ...plan.parts.map((members, number) => async () => {
      const part = { ...known, number, members };
      const { claims = [], submitted, cancelled, delivered } = notes.parts.get(number) ?? {};
      if (submitted === undefined) looks.push(await createPart({ ...part, claims }, ports, signal));
      else if (delivered === undefined)
        looks.push(
          await followPart({ ...part, submitted, isCancelled: cancelled !== undefined }, ports, signal),
        );
      else {
        const left = await settlePart(part, ports, signal);
        const since = now() - delivered.at;
        const pause = Math.min(TAKEN_MS.later, Math.max(TAKEN_MS.first, since / 4));
        if (left > 0 && since < TAKEN_WITHIN_MS) looks.push(now() + pause);
      }
    }),
  ];
  await eachInTurn(works, (work) => work());
  if (looks.length > 0) return later(Math.min(...looks));
  await batches.noteBucket(bucket, 'settled', { at: now() });
  return { next: 'done' };
}

/** A Wait state drops the milliseconds of its time. */
function later(at: Instant): BucketLook {
  return { next: 'look', at: new Date(1000 * Math.ceil(at / 1000)).toISOString() };
}

async function seal(bucket: string, batches: Batches, at: Instant): Promise<BucketPlan> {
  await batches.noteBucket(bucket, 'sealed', { at });
  return batches.planBucket(bucket, { at, parts: toParts(await batches.bucketMembers(bucket)) });
}

/** Those that joined too late for the plan. */
async function lateMembers(bucket: string, plan: BucketPlan, batches: Batches): Promise<BatchMember[]> {
  const planned = new Set(plan.parts.flat().map(({ id }) => id));
  return (await batches.bucketMembers(bucket)).filter(({ id }) => !planned.has(id));
}

/** Moves a late member into the next bucket: see `joinBucket`. */
async function moveOn({ run, turn }: BatchMember, ports: BatchPorts & { batches: Batches }): Promise<void> {
  const pending = await ports.batches.pendingTurn(run, turn);
  if (pending !== undefined) await joinBucket(run, pending, ports);
}
