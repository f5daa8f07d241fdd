import { createHash } from 'node:crypto';
import type { BatchResult } from '../model/batch-api.ts';
import type { Instant } from './times.ts';
import type { SentTurn } from './turn.ts';

/**
 * Turns whose models are asked in batches. What a turn is to send is written down as a pending turn, and stands from
 * then on, whichever execution carries the run. A batch is made of a bucket: the pending turns of a minute that can share
 * one.
 */

/** A turn that waits for its answer from a batch. Written once. */
export interface PendingTurn {
  turn: number;
  /** The id of its request in a batch. */
  id: string;
  /** `provider/model-name`. */
  model: string;
  /** The path of the API that its request is for. */
  endpoint: string;
  /** What can share a batch, for a name. */
  lane: string;
  /** When it was written. */
  askedAt: Instant;
  /** How often its model's API had failed to answer by then. */
  attempt: number;
  /** Until when it waits: then its model is asked alone. */
  until: Instant;
  /** The most tokens of the answer. */
  maxTokens: number;
  sent: SentTurn;
  /** The parameters of its request, as JSON. */
  body: string;
}

/** What came of a pending turn: the first that is written stands. */
export interface BatchedResult {
  at: Instant;
  /** `left`: it waited no longer, so that its model was asked alone. */
  result: BatchResult | { left: true };
}

/** A pending turn in a bucket. */
export interface BatchMember {
  id: string;
  run: string;
  turn: number;
  bytes: number;
}

/** What is noted of a bucket. Each note is written once. */
export interface BucketNotes {
  /** The machine of the bucket was started. */
  started?: { at: Instant };
  /** Whoever joins after this may be too late. */
  sealed?: { at: Instant };
  /** The batches that the bucket is made into. */
  plan?: BucketPlan;
  /** By the number of the batch. */
  parts: ReadonlyMap<number, PartNotes>;
  /** All of its answers have been delivered, and taken. */
  settled?: { at: Instant };
}

export interface BucketPlan {
  at: Instant;
  parts: BatchMember[][];
}

/** What is noted of one batch of a bucket. */
export interface PartNotes {
  /** Attempts to create it, in order. */
  claims: PartClaim[];
  /** The batch that it became; none where the API refused it, or nobody wanted it any more. */
  submitted?: { at: Instant; batch?: string };
  cancelled?: { at: Instant };
  delivered?: { at: Instant };
}

/** An attempt to create a batch, written ahead of it. */
export interface PartClaim {
  at: Instant;
  by: string;
  /** How many of its members are still wanted. */
  requests: number;
}

/** The id of the request of a turn in a batch: providers take 64 characters of letters, digits, "-" and "_". */
export function batchRequestId(run: string, turn: number, attempt: number): string {
  return digestOf([run, turn, attempt]).slice(0, 40);
}

/** Who reserves for a pending turn: every invocation that makes the turn is the same. */
export function batchOwner(run: string, turn: number): string {
  return `batch:${run}:${turn}`;
}

/** What turns have in common that can share a batch. */
export interface Lane {
  model: string;
  /** As in `BatchApi`. */
  account: string;
  endpoint: string;
}

export function laneOf({ model, account, endpoint }: Lane): string {
  return digestOf([model, account, endpoint]).slice(0, 24);
}

/** How long a bucket collects. */
const MINUTE = 60_000;

/**
 * The name of a bucket, which is that of an execution, too.
 * @param later how many buckets behind that of the minute
 */
export function bucketOf({ lane, askedAt }: Pick<PendingTurn, 'lane' | 'askedAt'>, later: number): string {
  const minute = Math.floor(askedAt / MINUTE) + later;
  return `batch-${lane}-${minute.toString(36)}`;
}

/** Those who ask at the end of the minute join a moment later. */
const GRACE = 5_000;

/** When a bucket has collected, by its name. */
export function closingOf(bucket: string): Instant {
  const minute = Number.parseInt(bucket.slice(bucket.lastIndexOf('-') + 1), 36);
  return (minute + 1) * MINUTE + GRACE;
}

/** Whether a text has the form of a bucket's name: nothing else may reach the store. */
export function isBucket(text: string): boolean {
  return /^batch-[0-9a-f]{24}-[0-9a-z]{1,9}$/.test(text);
}

function digestOf(what: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(what)).digest('hex');
}
