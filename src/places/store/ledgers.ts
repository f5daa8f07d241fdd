import type { Ledger } from '../../core/records/ledger.ts';
import type { Ledgers } from '../../core/records/ports.ts';
import { StoreUnavailableError } from '../../errors.ts';
import { backOff, MAX_ATTEMPTS, type BackOff } from './contention.ts';
import { fromItem, toStored } from './stored.ts';
import type { Item, Key, Table } from './table.ts';

/** Ledgers of runs: one item each, replaced as a whole on the condition that no other process has. */
export function createLedgers(table: Table, stayAway: BackOff = backOff): Ledgers {
  /** The versions of ledgers that were read here, so that changing one need not read it again. */
  const versions = new WeakMap<Ledger, number>();
  const toLedger = (item: Item) => {
    const ledger = fromItem<Ledger>(item);
    versions.set(ledger, item.version);
    return ledger;
  };
  const read = (run: string) => table.get(keyOf(run)).then((item) => item && toLedger(item));
  const write = async (run: string, ledger: Ledger, before: Ledger | undefined) => {
    if (before !== undefined) {
      return table.putIfVersion(keyOf(run), toStored(ledger), versions.get(before) ?? 0);
    }
    const { written, item } = await table.putIfAbsent(keyOf(run), toStored(ledger));
    return written ? item : undefined;
  };

  return {
    ledger: read,

    async changeLedger(run, change, known) {
      let before = known === undefined ? await read(run) : known.ledger;
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const changed = change(before);
        if (changed.ledger === undefined || changed.ledger === before) return changed;
        const item = await write(run, changed.ledger, before);
        if (item !== undefined) {
          toLedger(item);
          return changed;
        }
        await stayAway(attempt);
        before = await read(run);
      }
      throw new StoreUnavailableError(
        `the ledger of run "${run}" changes too often to be updated; try again`,
      );
    },
  };
}

function keyOf(run: string): Key {
  return { partition: `run#${run}`, sort: 'ledger' };
}
