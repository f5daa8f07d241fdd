/**
 * A sixteenth of a limit per day: one item, so that trees that begin and end at once do not write the same one. What
 * a tree was given is a total that only grows, and that the ledger of its top copies, as ledgers do among each other.
 */
export interface DayShard {
  /** What trees have spent that are at rest. */
  settled: number;
  /** What trees were given that are not, by `entryOf`. */
  given: Record<string, number>;
}

/** Where a shard lies. */
export interface DayShardKey {
  /** `2026-11-23`, in UTC. */
  day: string;
  /** As in `DayLimit`. */
  scope: string;
  /** From 0. */
  shard: number;
}

export const SHARDS = 16;
export const NO_SHARD: DayShard = { settled: 0, given: {} };

/** The part of a limit that a shard holds: whole numbers, that add up to the limit. */
export function partOf(limit: number, shard: number): number {
  return Math.floor(limit / SHARDS) + (shard === 0 ? limit % SHARDS : 0);
}

/** What is spent of a shard, or may be. */
export function heldIn({ settled, given }: DayShard): number {
  return Object.values(given).reduce((sum, one) => sum + one, settled);
}

/** Under what a tree is listed in a shard: it may come to rest, and go on, several times a day. */
export function entryOf(root: string, number: number): string {
  return `${root}#${number}`;
}

/** @returns undefined for what is no such entry */
export function treeOfEntry(entry: string): { root: string; number: number } | undefined {
  const { root, number } = /^(?<root>.+)#(?<number>\d+)$/.exec(entry)?.groups ?? {};
  return root === undefined ? undefined : { root, number: Number(number) };
}

/** What a tree asks a shard for. */
export interface AllotmentAsked {
  entry: string;
  /** The total that its ledger has copied. */
  known: number;
  /** What it lacks. */
  wanted: number;
  /** What it takes at once, where there is enough for others. */
  allotment: number;
  /** Of the limit, as `partOf` gives it. */
  part: number;
}

/** A tree takes more than it lacks only if the shard would still have as much for others, three times over. */
const LARGEST_PART = 1 / 4;

/** Raises the total of a tree, as far as there is room. An amount that is not copied yet is not given twice. */
export function giveTo(shard: DayShard, { entry, known, wanted, allotment, part }: AllotmentAsked): DayShard {
  const before = shard.given[entry] ?? 0;
  const room = Math.max(0, part - heldIn(shard));
  const amount = Math.max(wanted, Math.min(allotment, Math.floor(room * LARGEST_PART)));
  const isThere = before >= known + wanted;
  const total = isThere ? before : Math.min(known + amount, before + room);
  return total > before ? { ...shard, given: { ...shard.given, [entry]: total } } : shard;
}

/** Removes a tree that is at rest, and counts what it has spent. */
export function settle(shard: DayShard, entry: string, spent: number): DayShard {
  const { [entry]: before, ...given } = shard.given;
  return before === undefined ? shard : { settled: shard.settled + spent, given };
}
