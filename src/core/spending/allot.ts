import type { LiveBus } from '../events/live.ts';
import { identityOf } from '../events/event.ts';
import {
  copyTaken,
  currentAllotment,
  roomInBudget,
  spentByShard,
  sumOf,
  type Allotment,
  type Taken,
} from '../records/allotment.ts';
import { entryOf, giveTo, heldIn, NO_SHARD, partOf, settle, SHARDS } from '../records/day-shard.ts';
import type { Ledger } from '../records/ledger.ts';
import { dayLimitsOf, type DayLimit } from '../records/day-limits.ts';
import type { LimitsPerDay } from '../records/limits-per-day.ts';
import type { DayShards, RunReads, RunStore } from '../records/ports.ts';
import type { Run } from '../records/run.ts';
import { dayAt } from '../records/spent.ts';
import type { Instant } from '../records/times.ts';
import { defined } from '../../defined.ts';
import { toUsd } from './refusal.ts';
import { shardOf } from '../../shard-of.ts';

// How trees take of limits per day. Loaded by trees that such limits hold, and are short.

/** The limits per day of a place. */
export interface PlaceLimits {
  /** As they are set up now. */
  perDay: LimitsPerDay;
  /** Hears once a day that a limit is nearly reached; absent: only followers of the tree do. */
  nearlyReached?: (limit: DayLimit) => void;
}

export interface AllotPorts {
  store: Pick<RunStore, 'dayShards' | 'opened'>;
  now: () => Instant;
  /** Absent: the place has none. */
  limits?: PlaceLimits | undefined;
  live?: LiveBus | undefined;
}

/** Nanodollars that a tree lacks. */
export interface Lacking {
  /** Of what it would like. */
  wanted: number;
  /** Of what it cannot do without. */
  needed: number;
}

/** A limit that has less left than a tree cannot do without. */
export interface DayRefusal {
  limit: DayLimit;
  /** What is spent of it, or held by trees at work. */
  held: number;
}

/** What a tree has of its limits now, for the ledger of its top to copy. */
export interface Allotted {
  taken: Taken;
  /** Absent: all limits gave what is needed. */
  refused?: DayRefusal;
}

/** What a tree takes at once of a limit, as long as there is enough for others. */
const ALLOTMENT = 1 / 100;
/** From this part of a limit on, people are told. */
export const NEAR = 4 / 5;
/** A limit is not near while all of its shards have more left than this: only then are they looked at together. */
const MAYBE_NEAR = 3 / 4;

/**
 * Takes from each limit per day that holds a tree: a hundredth of the limit, or what the tree lacks. Amounts that were
 * taken and not copied are found again.
 * @returns undefined if the tree's own budget leaves no room for that
 */
export async function allot(
  top: Run,
  ledger: Ledger & { allotment: Allotment },
  { wanted, needed }: Lacking,
  ports: AllotPorts,
): Promise<Allotted | undefined> {
  const { store, now, limits } = ports;
  const room = roomInBudget(ledger);
  if (room < needed) return undefined;
  const day = dayAt(now());
  const before = ledger.allotment;
  const current = currentAllotment(before, day);
  // What follows forgets it.
  if (current !== before && before.day === day) await settleShards(top.id, before, store);
  const { number, received } = current;
  const own = (await store.opened(top.id))?.budget?.perDay;
  const limitsOfTop = dayLimitsOf(top, limits?.perDay, own);
  const shards = await store.dayShards();
  const knownOf = ({ scope }: DayLimit) => current.taken[scope] ?? {};
  // Of each limit, for the least of them counts.
  const totals = Object.fromEntries(limitsOfTop.map((limit) => [limit.scope, knownOf(limit)]));
  // All limits were taken back since the tree began.
  if (limitsOfTop.length === 0) totals['none'] = { 0: received + wanted };
  const taken: Taken = { day, number, taken: totals };
  let most = Math.min(wanted, room);
  let refused: DayRefusal | undefined;
  for (const limit of limitsOfTop) {
    const known = knownOf(limit);
    const surplus = sumOf(known) - received;
    const { given, isNear, held } = await take(top.id, limit, { day, number, known }, most - surplus, shards);
    totals[limit.scope] = given;
    // More of the others would be of no use.
    most = Math.min(most, sumOf(given) - received);
    const isRefused = most < needed && refused === undefined;
    if (!isNear && !isRefused) continue;
    const sum = held ?? (await heldOn(day, limit, store));
    if (sum >= NEAR * limit.nanoUsd) await tell(top, day, limit, ports);
    if (isRefused) refused = { limit, held: sum };
  }
  return { taken, ...defined({ refused }) };
}

/** What a tree has taken of one limit. */
interface Known extends Pick<Taken, 'day' | 'number'> {
  known: Record<string, number>;
}

/**
 * Begins with the shard that a tree falls to; the others are asked if that has too little.
 * @returns what is held of the limit, too, if all shards were looked at
 */
async function take(
  root: string,
  { scope, nanoUsd }: DayLimit,
  { day, number, known }: Known,
  wanted: number,
  shards: DayShards,
): Promise<{ given: Record<string, number>; isNear: boolean; held?: number }> {
  const totals = { ...known };
  const lacks = () => wanted - sumOf(totals) + sumOf(known);
  if (lacks() <= 0) return { given: totals, isNear: false };
  const home = shardOf(root, SHARDS);
  const entry = entryOf(root, number);
  const ask = async (shard: number) => {
    const asking = {
      entry,
      known: known[shard] ?? 0,
      wanted: lacks(),
      allotment: shard === home ? Math.floor(nanoUsd * ALLOTMENT) : 0,
      part: partOf(nanoUsd, shard),
    };
    const changed = await shards.change({ day, scope, shard }, (kept) => giveTo(kept, asking));
    totals[shard] = Math.max(asking.known, changed.given[entry] ?? 0);
    return changed;
  };
  const first = await ask(home);
  const isNear = heldIn(first) >= MAYBE_NEAR * partOf(nanoUsd, home);
  if (lacks() <= 0) return { given: totals, isNear };
  const others = Array.from({ length: SHARDS - 1 }, (_, index) => (home + 1 + index) % SHARDS);
  const there = await Promise.all(others.map((shard) => shards.shard({ day, scope, shard })));
  let held = heldIn(first);
  for (const [index, shard] of others.entries()) {
    const seen = there[index] ?? NO_SHARD;
    const isGiving = heldIn(seen) < partOf(nanoUsd, shard) || (seen.given[entry] ?? 0) > (known[shard] ?? 0);
    held += heldIn(isGiving && lacks() > 0 ? await ask(shard) : seen);
  }
  return { given: totals, isNear: true, held };
}

/** What is spent of a limit on a day, or held by trees at work. */
export async function heldOn(
  day: string,
  { scope }: Pick<DayLimit, 'scope'>,
  store: Pick<RunReads, 'dayShards'>,
): Promise<number> {
  const reads = await store.dayShards();
  const shards = await Promise.all(
    Array.from({ length: SHARDS }, (_, shard) => reads.shard({ day, scope, shard })),
  );
  return shards.reduce((sum, shard) => sum + heldIn(shard), 0);
}

async function tell(
  top: Run,
  day: string,
  limit: DayLimit,
  { store, live, limits }: AllotPorts,
): Promise<void> {
  if (!(await (await store.dayShards()).noteNear(day, limit.scope))) return;
  const message = `80 per cent of ${limit.key} = $${toUsd(limit.nanoUsd)} for ${limit.of} are spent today (UTC) or held by agents at work`;
  live?.tell({ type: 'warning', ...identityOf(top), message });
  limits?.nearlyReached?.(limit);
}

/** Replaces what a tree was given with what it has spent, once the rest has gone back. */
export async function settleShards(
  root: string,
  { day, number, taken, spent }: Allotment,
  store: Pick<RunStore, 'dayShards'>,
): Promise<void> {
  if (spent === undefined) return;
  const shards = await store.dayShards();
  const entry = entryOf(root, number);
  await Promise.all(
    Object.entries(taken).flatMap(([scope, totals]) =>
      [...spentByShard(totals, spent)].map(([shard, part]) =>
        shards.change({ day, scope, shard }, (kept) => settle(kept, entry, part)),
      ),
    ),
  );
}

/** What a ledger gains by copying what its tree has taken, in nanodollars. */
export function gainOf(ledger: Ledger, taken: Taken): number {
  return (copyTaken(ledger, taken).received.nanoUsd ?? 0) - (ledger.received.nanoUsd ?? 0);
}
