import { budgetIn, type TreeBudget } from '../records/allotment.ts';
import { add, NOTHING, type Allowance, type Amounts, type Limit } from '../records/amounts.ts';
import type { Ledgers } from '../records/ports.ts';
import type { DayRefusal } from './allot.ts';

/** A limit that was reached, which is a normal end of a run. */
export interface Exceeded {
  limit: Limit;
  used: number;
  max: number;
  /** The most that the refused call could have cost; absent if no call was refused. */
  next?: number;
  /** The most that other calls with an unknown end may cost. */
  reserved?: number;
}

/**
 * Which limit of a tree was reached, in words.
 * @param short the limits of which a run did not find enough
 * @param next the most that the refused call could have cost; absent if no call was refused
 */
export function refusal(
  { used, reserved }: Spending,
  budget: Allowance,
  short: readonly Limit[],
  next?: Amounts,
): string {
  // A run that is short of one limit gets nothing of the others: the tightest limit decides.
  const calls = (limit: Limit) =>
    ((budget[limit] ?? Infinity) - used[limit] - reserved[limit]) / (next?.[limit] ?? 1);
  const [limit = 'tokens'] = [...short].sort((one, other) => calls(one) - calls(other));
  return exceededText({
    limit,
    used: used[limit],
    max: budget[limit] ?? 0,
    reserved: reserved[limit],
    ...(next !== undefined && { next: next[limit] }),
  });
}

/** The amounts that a tree has spent so far, and that its calls without an answer may cost. */
export interface Spending {
  used: Amounts;
  reserved: Amounts;
}

/**
 * The budget of a tree, with all that people have added since it was opened.
 * @param opened its budget as it was opened, which it has until its first call is paid for
 * @param perDay the limit per day that stops it: then its dollars are those that it holds; absent: none does
 */
export async function limitsNow(
  root: string,
  opened: TreeBudget,
  perDay: DayRefusal | undefined,
  store: Ledgers,
): Promise<Allowance> {
  const ledger = await store.ledger(root);
  if (ledger === undefined) return opened;
  const limits = budgetIn(ledger);
  if (perDay === undefined) return limits;
  return { ...limits, nanoUsd: (ledger.received.nanoUsd ?? 0) - ledger.returned.nanoUsd };
}

/**
 * `limit per day reached: $49.9980 of usd_per_day = $50.0000 for all agents …`, in words for people and for a parent's
 * model.
 * @param next the most that the refused call could have cost, in nanodollars; absent: nothing was refused yet
 */
export function dayRefusal({ limit, held }: DayRefusal, next?: number): string {
  const { key, nanoUsd, of } = limit;
  const text = `limit per day reached: $${toUsd(held)} of ${key} = $${toUsd(nanoUsd)} for ${of} are spent today (UTC), or held by agents at work`;
  return next === undefined ? text : `${text}; the next call could cost up to $${toUsd(next)}`;
}

/** Read from the ledgers of a tree one by one, while runs go on: not exact enough to decide what a call may cost. */
export async function spending(run: string, store: Ledgers): Promise<Spending> {
  const ledger = await store.ledger(run);
  if (ledger === undefined) return { used: NOTHING, reserved: NOTHING };
  const below = await Promise.all(Object.keys(ledger.shares).map((child) => spending(child, store)));
  const reserved = Object.values(ledger.reserved);
  const turns = reserved.some(({ turn }) => turn > ledger.settled) ? 1 : 0;
  const own = [...reserved.map((one) => one.amounts), { ...NOTHING, turns }];
  return {
    used: below.map((one) => one.used).reduce(add, ledger.used),
    reserved: [...below.map((one) => one.reserved), ...own].reduce(add, NOTHING),
  };
}

/** `budget exceeded: used 9800 of 10000 tokens`, in words for people and for a parent's model. */
export function exceededText({ limit, used, max, next, reserved = 0 }: Exceeded): string {
  const show = (amount: number) => (limit === 'nanoUsd' ? `$${toUsd(amount)}` : String(amount));
  const unit = { tokens: ' tokens', nanoUsd: '', turns: ' turns', toolCalls: ' tool calls', runs: ' runs' };
  const text = `budget exceeded: used ${show(used)} of ${show(max)}${unit[limit]}`;
  if (next === undefined || (limit !== 'tokens' && limit !== 'nanoUsd')) return text;
  const left = show(Math.max(0, max - used));
  const unanswered = reserved > 0 ? `, and calls without an answer up to ${show(reserved)}` : '';
  return `${text}, ${left} left; the next call could cost up to ${show(next)}${unanswered}`;
}

/** Dollars with four decimals; for tiny amounts, as many as it takes to show two digits. */
export function toUsd(nanoUsd: number): string {
  const decimals = nanoUsd === 0 ? 4 : Math.min(9, 11 - String(nanoUsd).length);
  return (nanoUsd / 1e9).toFixed(Math.max(4, decimals));
}
