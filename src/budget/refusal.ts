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
  // Who finds not enough of one limit is given nothing of the others: the tightest is the one in the way.
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

/** What a tree has spent so far, and what its calls without an answer may cost: for words, not for decisions. */
export async function spending(run: string, store: Ledgers): Promise<{ used: Amounts; reserved: Amounts }> {
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
