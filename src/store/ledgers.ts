import { setTimeout as delay } from 'node:timers/promises';
import type { Ledger } from '../runs/ledger.ts';
import type { Ledgers } from '../runs/ports.ts';
import { treeKey } from '../runs/run-id.ts';
import { StoreError } from '../errors.ts';
import { fromKept, toKept } from './kept.ts';
import type { Key, Table } from './table.ts';

/** Forty branches may want the ledger at once, each of which needs one turn at it: many times what that takes. */
const MAX_ATTEMPTS = 400;
/** Waits grow to this, each a random part of it, so that branches get out of each other's way. */
const LONGEST_WAIT_MS = 50;

/** Ledgers of trees: one item each, replaced as a whole if nobody else did meanwhile. */
export function createLedgers(table: Table): Ledgers {
  return {
    async openLedger(run, ledger) {
      await table.putIfAbsent(keyOf(run), toKept(ledger));
    },

    async changeLedger(run, change) {
      const key = keyOf(run);
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const item = await table.get(key);
        if (item === undefined) throw new StoreError(`the tree of run "${run}" has no ledger`);
        const before = fromKept<Ledger>(item.value, `ledger of ${run}`);
        const changed = change(before);
        if (changed.ledger === before) return changed;
        if ((await table.putIfVersion(key, toKept(changed.ledger), item.version)) !== undefined)
          return changed;
        await delay(Math.random() * Math.min(LONGEST_WAIT_MS, attempt));
      }
      throw new StoreError(`the ledger of run "${run}" changes too fast to be updated; try again`);
    },
  };
}

function keyOf(run: string): Key {
  return { partition: `tree#${treeKey(run)}`, sort: 'ledger' };
}
