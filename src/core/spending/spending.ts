import { firstLedger, type Refill } from './refill.ts';
import { ModelError } from '../../errors.ts';
import type { Prices } from './prices.ts';
import { forfeit, release, type Ledger } from '../records/ledger.ts';
import { NOTHING, type Amounts } from '../records/amounts.ts';
import type { TokenUsage } from '../../token-usage.ts';
import { mayStartBeside } from '../records/plan.ts';
import type { RunStore } from '../records/ports.ts';
import type { Opened } from '../records/opened.ts';
import type { Run } from '../records/run.ts';
import type { LiveBus } from '../events/live.ts';
import type { Instant } from '../records/times.ts';
import type { PlaceLimits } from './allot.ts';
import { loadOnce } from '../../load-once.ts';

/**
 * The amounts that one turn may spend of its tree's budget. Every tree has a limit of runs; a turn reserves beforehand
 * only if the tree has other limits too.
 */
export interface Account {
  run: Run;
  opened: Opened;
  /** As read when the turn began. */
  ledger: Ledger | undefined;
  /** The ledger that it begins with, if that has been read already. */
  begins?: Ledger | undefined;
  /** The amounts that sub-agents which ended since the last turn have given back; absent: none. */
  gathered?: Refill | undefined;
  /** The invocation that makes the turn. */
  owner: string;
}

/** How often a run looks for more budget when others keep taking what it found. */
export const MAX_ROUNDS = 5;

export interface SpendingPorts {
  store: RunStore;
  prices: Prices;
  now: () => Instant;
  /** The limits per day of the place; absent: it has none. */
  limits?: PlaceLimits | undefined;
  /** Hears that one of them is nearly reached; absent where nothing listens. */
  live?: LiveBus | undefined;
}

/** The ledger of a run as it begins. */
export async function beginning(account: Account, store: RunStore): Promise<Ledger> {
  const { run, opened, ledger, begins } = account;
  return ledger ?? begins ?? firstLedger(run, opened.budget, store);
}

/**
 * The facts that a turn needs before it reserves, read together with everything else that the turn reads: the ledger
 * that it begins with, and the unspent amounts of sub-agents that have ended. For trees with a budget.
 */
export async function beforeReserving(
  account: Account,
  store: RunStore,
): Promise<Pick<Account, 'begins' | 'gathered'>> {
  const { gather } = await loadShares();
  const mayBeAtWork = mayStartBeside(account.opened.delegation);
  const [begins, gathered] = await Promise.all([
    beginning(account, store),
    gather(account.ledger, mayBeAtWork, store),
  ]);
  return { begins, gathered };
}

const loadShares = loadOnce(() => import('./shares.ts'));

/** Gives back this invocation's reservation for a turn that was not made. */
export async function returnReservation(account: Account, store: RunStore): Promise<void> {
  const { run, opened, owner } = account;
  if (opened.budget === undefined) return;
  await store.changeLedger(run.id, (kept) => ({ ledger: kept && release(kept, owner) }), account);
}

/**
 * Settles the reservation for a failed call of the model. It is given back, unless an unusable answer was delivered, or
 * the run no longer waited for the answer: those have to be paid for.
 * @param isCut whether the call ended because the run was stopped or late
 */
export async function chargeFailure(
  thrown: unknown,
  isCut: boolean,
  account: Account,
  ports: SpendingPorts,
): Promise<void> {
  const known = thrown instanceof ModelError ? thrown.details.spent : undefined;
  const spent = known ?? (isCut ? 'unknown' : undefined);
  return spent === undefined ? returnReservation(account, ports.store) : chargeAside(spent, account, ports);
}

/** Settles the reservation for a call of the model that has to be paid for but made no turn. */
export async function chargeAside(
  spent: TokenUsage | 'unknown',
  account: Account,
  { store, prices }: SpendingPorts,
): Promise<void> {
  const { run, opened, owner } = account;
  if (opened.budget === undefined) return;
  const cost = spent === 'unknown' ? undefined : paidFor(spent, prices.costOf(opened.model, spent));
  await store.changeLedger(run.id, (kept) => ({ ledger: kept && forfeit(kept, owner, cost) }), account);
}

/** The cost of tokens. */
export function paidFor({ inputTokens, outputTokens }: TokenUsage, nanoUsd = 0): Amounts {
  return { ...NOTHING, tokens: inputTokens + outputTokens, nanoUsd };
}
