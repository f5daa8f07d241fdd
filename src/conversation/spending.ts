import {
  firstLedger,
  gather,
  NO_REFILL,
  refill,
  refilled,
  spending,
  type Refill,
} from '../budget/shares.ts';
import { ModelError } from '../errors.ts';
import type { Prices } from '../pricing/prices.ts';
import type { TokenUsage } from '../runs/message.ts';
import {
  add,
  charge,
  exceededText,
  forfeit,
  free,
  give,
  isNothing,
  MAX_RUNS_PER_TREE,
  missing,
  NOTHING,
  release,
  type Allowance,
  type Amounts,
  type Ledger,
  type Limit,
} from '../runs/ledger.ts';
import type { RunStore } from '../runs/ports.ts';
import type { Opened, Run, Turn } from '../runs/run.ts';

/**
 * What one turn may spend of its tree's budget. Every tree has a limit of runs; only where it has others does a turn
 * reserve before it is made.
 */
export interface Account {
  run: Run;
  opened: Opened;
  /** As it was read when the turn began. */
  ledger: Ledger | undefined;
  /** What sub-agents have given back that have ended since the turn before. */
  gathered: Refill;
  /** The invocation that makes the turn. */
  owner: string;
}

export interface SpendingPorts {
  store: RunStore;
  prices: Prices;
}

/** What of a turn is known as soon as its answer is there. */
type PaidTurn = Pick<Turn, 'number' | 'answer' | 'nanoUsd'>;

/** The ledger of a run as it begins. */
export async function beginning({ run, opened, ledger }: Account, store: RunStore): Promise<Ledger> {
  return ledger ?? firstLedger(run, { ...opened.budget, runs: MAX_RUNS_PER_TREE }, store);
}

/** Takes back what sub-agents have not spent that have ended, where a turn reserves: it is counted in the same write. */
export async function gatherBefore(
  { budget }: Opened,
  ledger: Ledger | undefined,
  store: RunStore,
): Promise<Refill> {
  return budget === undefined ? NO_REFILL : gather(ledger, store);
}

/**
 * Puts what a turn did cost in place of its reservation and, in the same write, hands a share of what is left to each
 * run that its calls ask for, as far as the tree has room for them. Calls that would pass the limit of calls are refused
 * and not counted.
 * @returns for how many of the runs there is room, and which limit stands in the way of its calls, if any
 */
export async function chargeTurn(
  account: Account,
  turn: PaidTurn,
  runs: readonly string[],
  { store }: SpendingPorts,
): Promise<{ granted: number; exceeded?: string }> {
  const { run, opened, gathered, owner } = account;
  const { budget } = opened;
  if (budget === undefined && runs.length === 0) return { granted: 0 };
  const first = await beginning(account, store);
  const calls = { ...NOTHING, toolCalls: turn.answer.calls.length };
  const attempt = (more: Refill, isLast: boolean) =>
    store.changeLedger(
      run.id,
      (kept) => {
        const before = refilled(refilled(kept ?? first, gathered), more);
        const charged = charge(before, owner, costOf(turn));
        // What was charged before, and whose acknowledgement was lost, took its calls with it.
        const wanted = charged === before ? NOTHING : calls;
        const left = free(charged);
        const isNew = (one: string) => charged.shares[one] === undefined;
        const short = missing({ ...wanted, runs: runs.filter(isNew).length }, left);
        if (!isLast && !isNothing(short)) return { ledger: kept, granted: 0, short, exceeds: false, charged };
        const exceeds = short.toolCalls > 0;
        // A turn that another one came after has nobody to hand anything to.
        const isOver = budget !== undefined && charged.settled > turn.number;
        const paid = exceeds ? charged : { ...charged, used: add(charged.used, wanted) };
        return { ...give(paid, exceeds || isOver ? [] : runs), short: NOTHING, exceeds, charged };
      },
      more === NO_REFILL ? account : undefined,
    );
  const made = await attempt(NO_REFILL, false);
  if (isNothing(made.short)) return { granted: made.granted };
  const more = await refill(run, made.charged, made.short, store);
  const { granted, exceeds } = await attempt(more, true);
  if (budget === undefined || !exceeds) return { granted };
  return { granted, exceeded: await refusal('toolCalls', run, budget, store) };
}

/** Gives back what this invocation reserved for a turn that was not made. */
export async function returnReservation(account: Account, store: RunStore): Promise<void> {
  const { run, opened, owner } = account;
  if (opened.budget === undefined) return;
  await store.changeLedger(run.id, (kept) => ({ ledger: kept && release(kept, owner) }), account);
}

/**
 * Settles what was reserved for a call of the model that failed: it is given back, but for an answer that was delivered
 * and is of no use, and for one that nobody waited for any more, which have to be paid.
 * @param isCut whether the call ended because the run was stopped or late
 */
export async function chargeFailure(
  thrown: unknown,
  isCut: boolean,
  account: Account,
  { store, prices }: SpendingPorts,
): Promise<void> {
  const { run, opened, owner } = account;
  const known = thrown instanceof ModelError ? thrown.details.spent : undefined;
  const spent = known ?? (isCut ? 'unknown' : undefined);
  if (spent === undefined || opened.budget === undefined) return returnReservation(account, store);
  const cost =
    spent === 'unknown' ? undefined : paidFor(spent, prices.costOf(opened.model, spent));
  await store.changeLedger(run.id, (kept) => ({ ledger: kept && forfeit(kept, owner, cost) }), account);
}

/** Which limit of a tree was reached, in words. @param next what the call could have cost that was refused */
export async function refusal(
  limit: Limit,
  { root }: Run,
  budget: Allowance,
  store: RunStore,
  next?: number,
): Promise<string> {
  const spent = await spending(root, limit, store);
  return exceededText({ limit, ...spent, max: budget[limit] ?? 0, ...(next !== undefined && { next }) });
}

function costOf({ answer, nanoUsd }: PaidTurn): Amounts {
  return paidFor(answer.usage, nanoUsd);
}

function paidFor({ inputTokens, outputTokens }: TokenUsage, nanoUsd = 0): Amounts {
  return { ...NOTHING, tokens: inputTokens + outputTokens, nanoUsd };
}
