import { defined } from '../../defined.ts';
import { add, NOTHING, plus, type Allowance, type Amounts } from './amounts.ts';
import { free, openLedger, type Ledger } from './ledger.ts';
import type { LimitsPerDay } from './limits-per-day.ts';
import { MAX_RUNS_PER_TREE } from './run.ts';

/** The limits of a whole tree. */
export interface TreeBudget extends Allowance {
  /** Set if limits per day hold it, with those of its agent; absent: none do. */
  perDay?: LimitsPerDay;
}

/**
 * What a tree holds of limits per day, as part of what the ledger of its top has received. It is taken a little at a
 * time, and the rest goes back when the tree comes to rest. After that, and on another day, the tree takes a new one
 * with another number.
 */
export interface Allotment {
  /** The tree's own budget in dollars, with what was added to it; absent: it has none. */
  budget?: number;
  /** The day from which it is; '' if there has been none. */
  day: string;
  number: number;
  /** The totals that shards have given, by limit and shard. */
  taken: Record<string, Record<string, number>>;
  /** What the ledger has received of it: the least that any limit has given. */
  received: number;
  /** Set once the rest has gone back: what was spent of it. */
  spent?: number;
}

/** What shards have given a tree: see `Allotment`. */
export type Taken = Pick<Allotment, 'day' | 'number' | 'taken'>;

/** The ledger with which the top of a tree begins. Of limits per day it has nothing yet. */
export function ledgerOfTop({ perDay, ...budget }: TreeBudget = {}): Ledger {
  const limits = { ...budget, runs: MAX_RUNS_PER_TREE };
  if (perDay === undefined) return openLedger(limits);
  const none = { day: '', number: 0, taken: {}, received: 0 };
  return {
    ...openLedger({ ...limits, nanoUsd: 0 }),
    allotment: { ...none, ...defined({ budget: budget.nanoUsd }) },
  };
}

/** The budget of a tree and all additions to it, without what it holds of limits per day. */
export function budgetIn({ received, allotment }: Ledger): Allowance {
  if (allotment === undefined) return received;
  const { nanoUsd: _, ...others } = received;
  return { ...others, ...defined({ nanoUsd: allotment.budget }) };
}

/** Adds to the budget of a tree. */
export function addToTop(ledger: Ledger, more: Amounts): Ledger {
  const { allotment, received } = ledger;
  if (allotment?.budget === undefined) return { ...ledger, received: plus(received, more) };
  return {
    ...ledger,
    received: plus(received, { ...more, nanoUsd: 0 }),
    allotment: { ...allotment, budget: allotment.budget + more.nanoUsd },
  };
}

/** How much more a tree may have at once, by its own budget. */
export function roomInBudget({ allotment, received, returned }: Ledger): number {
  return (allotment?.budget ?? Infinity) - (received.nanoUsd ?? 0) + returned.nanoUsd;
}

/** The sum of what the shards of a limit have given. */
export function sumOf(totals: Record<string, number> = {}): number {
  return Object.values(totals).reduce((sum, total) => sum + total, 0);
}

/** The allotment that a tree takes from on a day: the one that it has, or the next. */
export function currentAllotment(allotment: Allotment, day: string): Allotment {
  const { budget, spent, number } = allotment;
  if (allotment.day === day && spent === undefined) return allotment;
  return { ...defined({ budget }), day, number: number + 1, taken: {}, received: 0 };
}

/**
 * Copies what shards have given.
 * @param taken under all limits that hold the tree now; of an allotment that is over nothing is to be had any more
 */
export function copyTaken(ledger: Ledger, { day, number, taken }: Taken): Ledger {
  const { allotment: before, received } = ledger;
  if (before === undefined || day < before.day) return ledger;
  const current = currentAllotment(before, day);
  if (current.number !== number) return ledger;
  const copied = Object.entries(taken).map(([scope, totals]): [string, Record<string, number>] => {
    const known = { ...current.taken[scope] };
    for (const [shard, total] of Object.entries(totals)) known[shard] = Math.max(total, known[shard] ?? 0);
    return [scope, known];
  });
  const least = Math.min(...copied.map(([, totals]) => sumOf(totals)));
  const more = Math.max(0, Math.min(least - current.received, roomInBudget(ledger)));
  const isKnown = copied.every(([scope, totals]) => sumOf(totals) === sumOf(current.taken[scope]));
  if (isKnown && more === 0) return ledger;
  return {
    ...ledger,
    received: plus(received, { ...NOTHING, nanoUsd: more }),
    allotment: {
      ...current,
      taken: { ...current.taken, ...Object.fromEntries(copied) },
      received: current.received + more,
    },
  };
}

/** Gives back what a tree at rest has left. Of what it was given first it has spent first. */
export function closeAllotment(ledger: Ledger): Ledger {
  const { allotment, returned } = ledger;
  const rest = free(ledger).nanoUsd;
  if (allotment === undefined || (allotment.spent !== undefined && rest === 0)) return ledger;
  return {
    ...ledger,
    returned: add(returned, { ...NOTHING, nanoUsd: rest }),
    allotment: { ...allotment, spent: allotment.spent ?? Math.max(0, allotment.received - rest) },
  };
}

/** Ends an allotment that no ledger knows of: what was taken of it is no longer copied. */
export function passOverAllotment(ledger: Ledger, day: string, number: number): Ledger {
  const { allotment } = ledger;
  if (allotment === undefined || allotment.number >= number) return ledger;
  const { budget } = allotment;
  return { ...ledger, allotment: { ...defined({ budget }), day, number, taken: {}, received: 0, spent: 0 } };
}

/** What was spent of each shard's total, once the rest has gone back. */
export function spentByShard(totals: Record<string, number>, spent: number): Map<number, number> {
  let left = spent;
  return new Map(
    Object.entries(totals).map(([shard, total]) => {
      const part = Math.min(total, left);
      left -= part;
      return [Number(shard), part];
    }),
  );
}
