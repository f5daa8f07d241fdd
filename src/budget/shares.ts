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

/** What a run that is short can add to what it has. */
export interface Refill {
  /** From its own sub-agents, which have been told. */
  taken: ReadonlyMap<string, Amounts>;
  /** From the run one level up, which holds it for the run by now. */
  more: Amounts;
}

/** The ledger with what it was refilled with. */
export function refilled(ledger: Ledger, { taken, more }: Refill): Ledger {
  return grow(unlend(ledger, taken), more);
}

export const NO_REFILL: Refill = { taken: new Map(), more: NOTHING };

/**
 * Finds more for a run that is short: takes back what its sub-agents hold and have not spent, then asks the run one
 * level up, which gives what is free and finds more in the same way.
 * @param except a sub-agent that is asking itself
 */
export async function refill(
  run: Run,
  ledger: Ledger,
  wanted: Amounts,
  limits: Allowance,
  store: ShareStore,
  except?: string,
): Promise<Refill> {
  const taken = await reclaim(ledger, except, wanted, store);
  const short = missing(wanted, sumOf(taken));
  const parent = run.parent === undefined ? undefined : await store.run(run.parent.run);
  if (parent === undefined || isNothing(short)) return { taken, more: NOTHING };
  const first = await firstLedger(parent, limits, store);
  const asked = await store.changeLedger(parent.id, (kept) => lendOf(kept ?? first, run.id, short));
  const still = missing(short, asked.lent);
  if (isNothing(still)) return { taken, more: asked.lent };
  const found = await refill(parent, asked.ledger, still, limits, store, run.id);
  if (found.taken.size === 0 && isNothing(found.more)) return { taken, more: asked.lent };
  const again = await store.changeLedger(parent.id, (kept) =>
    lendOf(refilled(kept ?? asked.ledger, found), run.id, still),
  );
  return { taken, more: add(asked.lent, again.lent) };
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
  except: string | undefined,
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
      const below = await reclaim(shrunk, undefined, missing(short, own), store);
      const sum = sumOf(below);
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

function sumOf(taken: ReadonlyMap<string, Amounts>): Amounts {
  return [...taken.values()].reduce(add, NOTHING);
}

function twice(some: Amounts): Amounts {
  return amounts((limit) => 2 * some[limit]);
}
