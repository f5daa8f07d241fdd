import {
  absorb,
  add,
  amounts,
  grow,
  lend,
  NOTHING,
  nothingOf,
  openLedger,
  shrink,
  unlend,
  type Allowance,
  type Amounts,
  type Ledger,
  type Limit,
} from '../runs/ledger.ts';
import type { Ledgers } from '../runs/ports.ts';
import type { Run } from '../runs/run.ts';

/**
 * How shares of a tree's budget move between its runs. Each step is one write of one ledger, in an order that leaves
 * nothing over if it is the last one that happens: what grows does so after what it grows at the cost of has shrunk.
 */
export interface ShareStore extends Ledgers {
  run(id: string): Promise<Run | undefined>;
}

/** The ledger of a run as it begins: all of the tree's budget at the top, and what its caller hands to a sub-agent. */
export async function firstLedger(run: Run, budget: Allowance, store: ShareStore): Promise<Ledger> {
  if (run.parent === undefined) return openLedger(budget);
  const held = (await store.ledger(run.parent.run))?.given[run.id];
  return openLedger(held ?? nothingOf(budget));
}

/**
 * Asks the run one level up for more than a run holds. It gives what is free, then takes back what its other sub-agents
 * hold and have not spent, then asks in turn.
 * @returns how much more the run may count on, which it has to add to its own ledger
 */
export async function askForMore(
  run: Run,
  wanted: Amounts,
  budget: Allowance,
  store: ShareStore,
): Promise<Amounts> {
  const parent = run.parent === undefined ? undefined : await store.run(run.parent.run);
  if (parent === undefined) return NOTHING;
  const lendFrom = async (more: Amounts) => {
    const first = await firstLedger(parent, budget, store);
    return store.changeLedger(parent.id, (kept) => lendOf(kept ?? first, run.id, more));
  };
  const { ledger, lent } = await lendFrom(wanted);
  let short = missing(wanted, lent);
  if (isNothing(short)) return lent;
  const taken = await reclaim(ledger, run.id, short, store);
  const reclaimed = [...taken.values()].reduce(add, NOTHING);
  const more = await askForMore(parent, missing(short, reclaimed), budget, store);
  if (isNothing(reclaimed) && isNothing(more)) return lent;
  const again = await store.changeLedger(parent.id, (kept) => {
    const refilled = grow(unlend(kept ?? ledger, taken), more);
    return lendOf(refilled, run.id, short);
  });
  short = missing(short, again.lent);
  return add(lent, again.lent);
}

function lendOf(ledger: Ledger, run: string, wanted: Amounts): { ledger: Ledger; lent: Amounts } {
  const { ledger: after, lent } = lend(ledger, run, wanted);
  return { ledger: isNothing(lent) ? ledger : after, lent };
}

/**
 * Takes from the sub-agents of a run what they hold and have not spent, until there is enough. Their own ledgers shrink
 * first; of those that have not begun there is nothing to shrink but what they will begin with.
 * @returns what was taken from whom, which the run's ledger has to be told
 */
async function reclaim(
  ledger: Ledger,
  except: string,
  wanted: Amounts,
  store: ShareStore,
): Promise<Map<string, Amounts>> {
  const taken = new Map<string, Amounts>();
  let short = wanted;
  for (const [run, held] of Object.entries(ledger.given)) {
    if (isNothing(short)) break;
    if (run === except) continue;
    // Twice as much where there is more than enough: whoever is short next finds it one level up.
    const change = (kept: Ledger | undefined) => shrinkOf(kept ?? openLedger(held), twice(short));
    const { taken: own, ledger: shrunk } = await store.changeLedger(run, change);
    let all = own;
    if (!isNothing(missing(short, own)) && Object.keys(shrunk.given).length > 0) {
      const below = await reclaim(shrunk, '', missing(short, own), store);
      const sum = [...below.values()].reduce(add, NOTHING);
      const less = amounts((limit) => -sum[limit]);
      await store.changeLedger(run, (kept) => ({ ledger: grow(unlend(kept ?? shrunk, below), less) }));
      all = add(own, sum);
    }
    if (!isNothing(all)) taken.set(run, all);
    short = missing(short, all);
  }
  return taken;
}

function shrinkOf(ledger: Ledger, wanted: Amounts): { ledger: Ledger; taken: Amounts } {
  const { ledger: after, taken } = shrink(ledger, wanted);
  return { ledger: isNothing(taken) ? ledger : after, taken };
}

/**
 * Closes the ledger of a run that has ended, and counts what it has spent with everything below it. What it had reserved
 * counts as spent: an answer that is still on its way is paid.
 */
export async function closeShare(run: string, store: Ledgers): Promise<Amounts> {
  const { ledger } = await store.changeLedger(run, (kept) => ({ ledger: closed(kept) }));
  if (ledger === undefined) return NOTHING;
  const below = await Promise.all(Object.keys(ledger.given).map((child) => closeShare(child, store)));
  return below.reduce(add, ledger.used);
}

/** One that was never written needs no closing: a run that has ended begins no ledger. */
function closed(ledger: Ledger | undefined): Ledger | undefined {
  if (ledger === undefined || (ledger.closed && ledger.reserved === undefined)) return ledger;
  return { ...absorb(ledger), closed: true };
}

/** What the sub-agents of a run have spent, all of which have ended. Their ledgers are closed by this. */
export async function spentBy(ledger: Ledger | undefined, store: Ledgers): Promise<Map<string, Amounts>> {
  const runs = Object.keys(ledger?.given ?? {});
  return new Map(await Promise.all(runs.map(async (run) => [run, await closeShare(run, store)] as const)));
}

/** What a whole tree has spent so far, from the ledger of its top on: for words, not for decisions. */
export async function treeSpent(top: string, limit: Limit, store: Ledgers): Promise<number> {
  const ledger = await store.ledger(top);
  if (ledger === undefined) return 0;
  const below = await Promise.all(Object.keys(ledger.given).map((run) => treeSpent(run, limit, store)));
  return below.reduce((sum, spent) => sum + spent, ledger.used[limit]);
}

export function missing(wanted: Amounts, there: Amounts): Amounts {
  return amounts((limit) => Math.max(0, wanted[limit] - there[limit]));
}

function isNothing(some: Amounts): boolean {
  return Object.values(some).every((amount) => amount === 0);
}

function twice(some: Amounts): Amounts {
  return amounts((limit) => 2 * some[limit]);
}
