import { setTimeout as delay } from 'node:timers/promises';
import type { Ledger } from '../../core/records/ledger.ts';
import type { Ledgers } from '../../core/records/ports.ts';
import { StoreUnavailableError } from '../../errors.ts';
import { fromItem, toKept } from './kept.ts';
import type { Item, Key, Table } from './table.ts';

/** A ledger is its own run's to write. Others write it where a run is short, of which 40 may come at once. */
const MAX_ATTEMPTS = 100;
/** Waits grow fourfold up to the longest, each a random part of it, so that branches get out of each other's way. */
const SHORTEST_WAIT_MS = 32;
const LONGEST_WAIT_MS = 1_000;

/** How long whoever was too late stays away from an item, after so many attempts. */
export type BackOff = (attempts: number) => Promise<void>;

export function backOff(attempts: number): Promise<void> {
  return delay(Math.random() * Math.min(LONGEST_WAIT_MS, SHORTEST_WAIT_MS * 4 ** attempts));
}

/** Ledgers of runs: one item each, replaced as a whole if nobody else did meanwhile. */
export function createLedgers(table: Table, stayAway: BackOff = backOff): Ledgers {
  /** Of the ledgers that were read here: whoever changes one of them need not read it again. */
  const versions = new WeakMap<Ledger, number>();
  const toLedger = (item: Item) => {
    const ledger = fromItem<Ledger>(item);
    versions.set(ledger, item.version);
    return ledger;
  };
  const read = (run: string) => table.get(keyOf(run)).then((item) => item && toLedger(item));
  const write = async (run: string, ledger: Ledger, before: Ledger | undefined) => {
    if (before !== undefined) {
      return table.putIfVersion(keyOf(run), toKept(ledger), versions.get(before) ?? 0);
    }
    const { written, item } = await table.putIfAbsent(keyOf(run), toKept(ledger));
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
