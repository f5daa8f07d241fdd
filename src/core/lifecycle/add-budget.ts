import type { Instant } from '../records/times.ts';
import { ConfigError } from '../../errors.ts';
import { addToTop, ledgerOfTop } from '../records/allotment.ts';
import { LIMITS, amounts, type Allowance } from '../records/amounts.ts';
import type { RunStore } from '../records/ports.ts';
import { defined } from '../../defined.ts';

/**
 * Adds to the budget of a tree; its record says who added how much.
 * @param by the person who adds it, if known
 * @throws {ConfigError} if the tree has no such limit, so that there is nothing to add to
 */
export async function addToBudget(
  root: string,
  more: Allowance,
  by: string | undefined,
  { store, now }: { store: RunStore; now: () => Instant },
): Promise<void> {
  const budget = (await store.opened(root))?.budget;
  const unlimited = LIMITS.find((limit) => more[limit] !== undefined && budget?.[limit] === undefined);
  if (unlimited !== undefined) {
    const what = unlimited === 'nanoUsd' ? 'dollars' : unlimited;
    throw new ConfigError(`run "${root}" has no limit of ${what}, so there is nothing to add to`);
  }
  const added = amounts((limit) => more[limit] ?? 0);
  await store.changeLedger(root, (kept) => ({ ledger: addToTop(kept ?? ledgerOfTop(budget), added) }));
  const addition = { amounts: more, ...defined({ by }), at: new Date(now()).toISOString() };
  await store.updateRun(root, (run) => ({ ...run, added: [...(run.added ?? []), addition] }));
}
