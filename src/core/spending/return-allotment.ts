import { eachInTurn } from '../../each-in-turn.ts';
import { closeAllotment, passOverAllotment } from '../records/allotment.ts';
import { settle, treeOfEntry } from '../records/day-shard.ts';
import { isIn, UNDER_WAY } from '../records/phase.ts';
import type { RunStore } from '../records/ports.ts';
import { dayAt } from '../records/spent.ts';
import type { Instant } from '../records/times.ts';
import { settleShards } from './allot.ts';
import { refilled, type ShareStore } from './refill.ts';
import { gather } from './shares.ts';

// Loaded when a tree under limits per day is closed, and by the sweep.

/** How often it starts over if a function writes the ledger in the meantime; the next sweep comes back to it. */
const MOST_ATTEMPTS = 5;

/**
 * Gives back what a tree has left of limits per day, unless any of its runs is under way. Repeating this is harmless: a
 * tree that continues takes a new allotment.
 * @returns whether it has given back, and what it has spent is settled
 */
export async function returnAllotment(root: string, store: RunStore): Promise<boolean> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const ledger = await store.ledger(root);
    if (ledger?.allotment === undefined) return false;
    const tree = await store.tree(root);
    if (tree.some((run) => isIn(UNDER_WAY, run))) return false;
    const gathered = await gather(ledger, true, unlessRemoved(store));
    const closed = await store.changeLedger(
      root,
      (kept) => {
        // Of shares that were handed out meanwhile it is not known what is left.
        const isSame = kept === ledger;
        return { ledger: isSame ? closeAllotment(refilled(ledger, gathered)) : kept, isSame };
      },
      { ledger },
    );
    if (!closed.isSame) continue;
    if (closed.ledger?.allotment !== undefined) await settleShards(root, closed.ledger.allotment, store);
    return true;
  }
  return false;
}

/** A tree at rest may be removed at any moment: no ledger may be written for a removed run. */
function unlessRemoved(store: RunStore): ShareStore {
  return {
    run: (id) => store.run(id),
    ledger: (run) => store.ledger(run),
    async changeLedger(run, change) {
      if ((await store.run(run)) === undefined) return change(undefined);
      let wasThere = false;
      return store.changeLedger(run, (kept) => {
        const isGone = kept === undefined && wasThere;
        wasThere = true;
        return isGone ? { ...change(kept), ledger: undefined } : change(kept);
      });
    },
  };
}

/**
 * Gives back what trees at rest still hold of today's limits because their last function died first.
 * @param underWay the tops of trees that are under way
 */
export async function returnLost(
  underWay: ReadonlySet<string>,
  { store, now }: { store: RunStore; now: () => Instant },
): Promise<void> {
  const shards = await store.dayShards();
  await eachInTurn(shards.all(dayAt(now())), ({ value, ...at }) =>
    eachInTurn(Object.keys(value.given), async (entry) => {
      const of = treeOfEntry(entry);
      if (of === undefined || underWay.has(of.root)) return;
      // One that goes on again settles by itself what it has spent.
      if (!(await returnAllotment(of.root, store))) return;
      const { ledger } = await store.changeLedger(of.root, (kept) => {
        const isAtRest = kept?.allotment?.spent !== undefined;
        return { ledger: isAtRest ? passOverAllotment(kept, at.day, of.number) : kept };
      });
      const { number, spent } = ledger?.allotment ?? { number: 0 };
      // If the tree continues with a later allotment, its spending of this one is no longer known: all of it counts.
      if (number > of.number)
        await shards.change(at, (shard) => settle(shard, entry, shard.given[entry] ?? 0));
      // A function took it that did not come to copy it.
      else if (spent !== undefined) await shards.change(at, (shard) => settle(shard, entry, 0));
    }),
  );
}
