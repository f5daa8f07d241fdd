import { copyTaken, ledgerOfTop, type Taken, type TreeBudget } from '../records/allotment.ts';
import { ledgerOfShare, receive, takeBack, type Ledger, type Statement } from '../records/ledger.ts';
import { nothingOf, type Allowance } from '../records/amounts.ts';
import type { Ledgers } from '../records/ports.ts';
import type { DayRefusal } from './allot.ts';
import type { Run } from '../records/run.ts';

/** The ledgers and records that moving shares of a tree's budget takes. */
export interface ShareStore extends Ledgers {
  run(id: string): Promise<Run | undefined>;
}

/** The ledger that a run starts with: the whole budget at the top of a tree, the share from its parent below it. */
export async function firstLedger(
  run: Run,
  budget: TreeBudget | undefined,
  store: ShareStore,
): Promise<Ledger> {
  const ofTop = ledgerOfTop(budget);
  if (run.parent === undefined) return ofTop;
  const share = (await store.ledger(run.parent.run))?.shares[run.id];
  return ledgerOfShare(share ?? { given: nothingOf(ofTop.received) });
}

/** The amounts that other ledgers hold for a run that it has not copied yet. */
export interface Refill {
  /** All that its parent has given it. */
  given: Allowance;
  /** All that its sub-agents have given back. */
  back: ReadonlyMap<string, Statement>;
  /** Everything that limits per day have given it; absent: nothing, or it is not the top of a tree. */
  taken?: Taken;
  /** The limit per day that has too little left; absent: none was asked, or all have enough. */
  refused?: DayRefusal;
  /** Whether anything was found, which others who were quicker may have taken. */
  hasFound: boolean;
}

export const NO_REFILL: Refill = { given: {}, back: new Map(), hasFound: false };

export function refilled(ledger: Ledger, { given, back, taken }: Refill): Ledger {
  const copied = receive(takeBack(ledger, back), given);
  return taken === undefined ? copied : copyTaken(copied, taken);
}
