import { openLedger, receive, takeBack, type Ledger, type Statement } from '../records/ledger.ts';
import { nothingOf, type Allowance } from '../records/amounts.ts';
import type { Ledgers } from '../records/ports.ts';
import type { Run } from '../records/run.ts';

/** The ledgers and records that moving shares of a tree's budget takes. */
export interface ShareStore extends Ledgers {
  run(id: string): Promise<Run | undefined>;
}

/** The ledger that a run starts with: the whole budget at the top of a tree, the share from its parent below it. */
export async function firstLedger(run: Run, budget: Allowance, store: ShareStore): Promise<Ledger> {
  if (run.parent === undefined) return openLedger(budget);
  const share = (await store.ledger(run.parent.run))?.shares[run.id];
  return openLedger(share?.given ?? nothingOf(budget));
}

/** The amounts that other ledgers hold for a run that it has not copied yet. */
export interface Refill {
  /** All that its parent has given it. */
  given: Allowance;
  /** All that its sub-agents have given back. */
  back: ReadonlyMap<string, Statement>;
  /** Whether there was anything to be had; it may have gone to others who were quicker. */
  hasFound: boolean;
}

export const NO_REFILL: Refill = { given: {}, back: new Map(), hasFound: false };

export function refilled(ledger: Ledger, { given, back }: Refill): Ledger {
  return receive(takeBack(ledger, back), given);
}
