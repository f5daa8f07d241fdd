import {
  add,
  amounts,
  EVERYTHING,
  giveBack,
  isNothing,
  lend,
  missing,
  NOTHING,
  nothingOf,
  openLedger,
  receive,
  takeBack,
  heldOf,
  LIMITS,
  type Allowance,
  type Amounts,
  type Ledger,
  type Limit,
  type Returned,
  type Share,
} from '../runs/ledger.ts';
import type { Ledgers } from '../runs/ports.ts';
import { hasAnswer, type Run } from '../runs/run.ts';

/**
 * How shares of a tree's budget move between its runs. Each step is one write of one ledger, which gives; whoever
 * takes copies what was given, as often as it likes.
 */
export interface ShareStore extends Ledgers {
  run(id: string): Promise<Run | undefined>;
}

/** The ledger of a run as it begins: all of the tree's budget at the top, and what its caller gave to a sub-agent. */
export async function firstLedger(run: Run, budget: Allowance, store: ShareStore): Promise<Ledger> {
  if (run.parent === undefined) return openLedger(budget);
  const share = (await store.ledger(run.parent.run))?.shares[run.id];
  return openLedger(share?.given ?? nothingOf(budget));
}

/** What others have written down for a run, and it has not copied yet. */
export interface Refill {
  /** What the run one level up gave it in all. */
  given: Allowance;
  /** What its sub-agents gave back in all. */
  back: ReadonlyMap<string, Returned>;
}

export const NO_REFILL: Refill = { given: {}, back: new Map() };

export function refilled(ledger: Ledger, { given, back }: Refill): Ledger {
  return receive(takeBack(ledger, back), given);
}

/**
 * Finds more for a run that is short: what its sub-agents hold and have not spent, then what is free one level up,
 * where more is found in the same way.
 * @param except a sub-agent that is asking itself
 */
export async function refill(
  run: Run,
  ledger: Ledger,
  wanted: Amounts,
  store: ShareStore,
  except?: string,
): Promise<Refill> {
  const back = await reclaim(ledger, wanted, store, except);
  const short = missing(wanted, gainOf(ledger, back));
  if (run.parent === undefined || isNothing(short)) return { given: {}, back };
  const parent = await store.run(run.parent.run);
  if (parent === undefined) return { given: {}, back };
  const before = ledger.received;
  const ask = async (more: Refill) => {
    const change = (kept: Ledger | undefined) => {
      if (kept === undefined) return { ledger: kept };
      const open = refilled(kept, more);
      // What was given and did not arrive is there for the taking.
      const still = missing(short, gained(before, open.shares[run.id]?.given ?? {}));
      return { ledger: lend(open, run.id, still) };
    };
    const asked = await store.changeLedger(parent.id, change);
    const given = asked.ledger?.shares[run.id]?.given ?? {};
    return { asked, given, still: missing(short, gained(before, given)) };
  };
  const first = await ask(NO_REFILL);
  if (first.asked.ledger === undefined || isNothing(first.still)) return { given: first.given, back };
  const more = await refill(parent, first.asked.ledger, first.still, store, run.id);
  const { given } = await ask(more);
  return { given, back };
}

/**
 * Makes sub-agents give back what they have not spent, until there is enough.
 * @returns what they gave back in all, which the run's ledger has to copy
 */
async function reclaim(
  ledger: Ledger,
  wanted: Amounts,
  store: Ledgers,
  except?: string,
): Promise<Map<string, Returned>> {
  const back = new Map<string, Returned>();
  let short = wanted;
  for (const [run, share] of Object.entries(ledger.shares)) {
    if (isNothing(short)) break;
    if (run === except || holdsNothing(share)) continue;
    const returned = await giveBackAll(run, share, short, store);
    back.set(run, { returned, isFinal: false });
    short = missing(wanted, gainOf(ledger, back));
  }
  return back;
}

/** Makes one sub-agent give back what is wanted, with everything below it. @returns what it gave back in all */
async function giveBackAll(run: string, share: Share, wanted: Amounts, store: Ledgers): Promise<Amounts> {
  const first = openLedger(share.given);
  const change = (below: ReadonlyMap<string, Returned>) => (kept: Ledger | undefined) => {
    const open = takeBack(receive(kept ?? first, share.given), below);
    const back = (limit: Limit) => open.returned[limit] - (share.back?.[limit] ?? 0);
    const after = giveBack(open, missing(wanted, amounts(back)));
    // One that has not begun has nothing to write down unless it gives.
    return { ledger: after === first ? undefined : after, after };
  };
  const { after } = await store.changeLedger(run, change(new Map()));
  const short = missing(wanted, difference(after.returned, share.back ?? {}));
  if (isNothing(short)) return after.returned;
  const below = await reclaim(after, short, store);
  if (below.size === 0) return after.returned;
  return (await store.changeLedger(run, change(below))).after.returned;
}

/** What sub-agents give back that have ended, all of it. One that is still at work goes on with what it has reserved. */
export async function gather(ledger: Ledger | undefined, store: ShareStore): Promise<Refill> {
  const ended = Object.entries(ledger?.shares ?? {}).filter(([, share]) => !holdsNothing(share));
  const back = await Promise.all(
    ended.map(async ([run, share]): Promise<[string, Returned]> => {
      // The record first: what has its answer begins nothing any more, so that what it holds then is final.
      const record = await store.run(run);
      const returned = await giveBackAll(run, share, EVERYTHING, store);
      return [run, { returned, isFinal: record !== undefined && hasAnswer(record) }];
    }),
  );
  return { given: {}, back: new Map(back) };
}

/** What a tree has spent so far, and what its calls without an answer may cost: for words, not for decisions. */
export async function spending(
  run: string,
  limit: Limit,
  store: Ledgers,
): Promise<{ used: number; reserved: number }> {
  const ledger = await store.ledger(run);
  if (ledger === undefined) return { used: 0, reserved: 0 };
  const below = await Promise.all(Object.keys(ledger.shares).map((child) => spending(child, limit, store)));
  const reserved = Object.values(ledger.reserved).map((one) => one.amounts[limit]);
  return {
    used: below.reduce((sum, { used }) => sum + used, ledger.used[limit]),
    reserved: [...below.map((one) => one.reserved), ...reserved].reduce((sum, one) => sum + one, 0),
  };
}

/** What a run has more by what its sub-agents gave back. */
function gainOf(ledger: Ledger, back: ReadonlyMap<string, Returned>): Amounts {
  return [...back]
    .map(([run, { returned }]) => difference(returned, ledger.shares[run]?.back ?? {}))
    .reduce(add, NOTHING);
}

function gained(before: Allowance, given: Allowance): Amounts {
  return amounts((limit) => Math.max(0, (given[limit] ?? 0) - (before[limit] ?? 0)));
}

function difference(one: Amounts, other: Allowance): Amounts {
  return amounts((limit) => one[limit] - (other[limit] ?? 0));
}

function holdsNothing(share: Share): boolean {
  return LIMITS.every((limit) => heldOf(share, limit) === 0);
}
