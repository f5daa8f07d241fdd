import { refusal } from '../budget/refusal.ts';
import { NO_REFILL, refill, refilled, type Refill } from '../budget/shares.ts';
import {
  add,
  charge,
  EVERYTHING,
  free,
  give,
  giveBack,
  isNothing,
  missing,
  NOTHING,
  type Amounts,
} from '../runs/ledger.ts';
import { callsAtOnce } from '../runs/plan.ts';
import type { RunStore } from '../runs/ports.ts';
import type { Turn } from '../runs/run.ts';
import { beginning, paidFor, type Account } from './spending.ts';

/** What of a turn is known as soon as its answer is there. */
type PaidTurn = Pick<Turn, 'number' | 'answer' | 'nanoUsd'>;

/**
 * Puts what a turn did cost in place of its reservation and, in the same write, hands a share of what is left to each
 * run that its calls ask for, as far as the tree has room for them. Calls that would pass the limit of calls are refused
 * and not counted.
 * @param shortest what a short answer may cost: less is no share
 * @returns for how many of the runs there is room, and which limit stands in the way of its calls, if any
 */
export async function chargeTurn(
  account: Account,
  turn: PaidTurn,
  runs: readonly string[],
  shortest: Amounts,
  store: RunStore,
): Promise<{ granted: number; exceeded?: string }> {
  const { run, opened, gathered, owner } = account;
  const { budget } = opened;
  if (budget === undefined && runs.length === 0) return { granted: 0 };
  const first = await beginning(account, store);
  const calls = { ...NOTHING, toolCalls: turn.answer.calls.length };
  // Of a sub-agent that has its answer, the run one level up finds what is left without a write.
  const isLeft = budget !== undefined && run.parent !== undefined && turn.answer.calls.length === 0;
  const atOnce = callsAtOnce(opened.delegation);
  const attempt = (more: Refill, isLast: boolean) =>
    store.changeLedger(
      run.id,
      (kept) => {
        const before = refilled(refilled(kept ?? first, gathered), more);
        const charged = charge(before, owner, paidFor(turn.answer.usage, turn.nanoUsd));
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
        const { ledger, granted } = give(paid, exceeds || isOver ? [] : runs, shortest, atOnce);
        return {
          ledger: isLeft ? giveBack(ledger, EVERYTHING) : ledger,
          granted,
          short: NOTHING,
          exceeds,
          charged,
        };
      },
      more === NO_REFILL ? account : undefined,
    );
  const made = await attempt(NO_REFILL, false);
  if (isNothing(made.short)) return { granted: made.granted };
  const shortage = { wanted: made.short, needed: made.short, left: NOTHING };
  const more = await refill(run, made.charged, shortage, store);
  const { granted, exceeds } = await attempt(more, true);
  if (budget === undefined || !exceeds) return { granted };
  return { granted, exceeded: await refusal(run.root, budget, ['toolCalls'], store) };
}
