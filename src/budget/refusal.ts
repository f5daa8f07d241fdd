import { add, exceededText, NOTHING, type Allowance, type Amounts, type Limit } from '../runs/ledger.ts';
import type { Ledgers } from '../runs/ports.ts';

/**
 * Which limit of a tree was reached, in words.
 * @param root the run at the top
 * @param short the limits of which one run did not find enough
 * @param next what the call could have cost that was refused; absent where no call was
 */
export async function refusal(
  root: string,
  budget: Allowance,
  short: readonly Limit[],
  store: Ledgers,
  next?: Amounts,
): Promise<string> {
  const { used, reserved } = await spending(root, store);
  const left = (limit: Limit) => (budget[limit] ?? Infinity) - used[limit] - reserved[limit];
  // Of a limit that the whole tree has reached, no run finds anything, nor of any other that comes with it.
  const limit = short.find((one) => left(one) < (next?.[one] ?? 1)) ?? short[0] ?? 'tokens';
  return exceededText({
    limit,
    used: used[limit],
    max: budget[limit] ?? 0,
    reserved: reserved[limit],
    ...(next !== undefined && { next: next[limit] }),
  });
}

/** What a tree has spent so far, and what its calls without an answer may cost: for words, not for decisions. */
export async function spending(run: string, store: Ledgers): Promise<{ used: Amounts; reserved: Amounts }> {
  const ledger = await store.ledger(run);
  if (ledger === undefined) return { used: NOTHING, reserved: NOTHING };
  const below = await Promise.all(Object.keys(ledger.shares).map((child) => spending(child, store)));
  const own = Object.values(ledger.reserved).map((one) => one.amounts);
  return {
    used: below.map((one) => one.used).reduce(add, ledger.used),
    reserved: [...below.map((one) => one.reserved), ...own].reduce(add, NOTHING),
  };
}
