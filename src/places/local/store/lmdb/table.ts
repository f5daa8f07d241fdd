import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { open, type RangeOptions, type RootDatabase } from 'lmdb';
import * as v from 'valibot';
import { StoreError } from '../../../../errors.ts';
import { parseJson, type Json } from '../../../../json.ts';
import { checkKey, checkPrefix, mostBytesOf, nameOf, toJsonText } from '../../../store/item-limits.ts';
import { checkAddressSpace } from './address-space.ts';
import { fromLmdbError } from './errors.ts';
import { LmdbFile, prepareLmdbFile } from './file.ts';
import { keyEncoder, toLmdbKey, type LmdbKey } from './keys.ts';
import { PAGE_BYTES } from './meta-pages.ts';
import { valueEncoder, type StoredItem } from './values.ts';
import { RecentlyUsed } from '../../../store/recently-used.ts';
import type { Item, Key, PutOptions, QueryOptions, Replacement, Table } from '../../../store/table.ts';

/** The file in the table's folder, and the one that LMDB keeps beside it. */
export const TABLE_FILE = 'store.mdb';
export const LOCK_FILE = `${TABLE_FILE}-lock`;

/** Address space, not disk: the file grows with its contents. Every process must open it with the same size. */
const MAP_SIZE = 64 * 1024 ** 3;

/** How many processes may have it open at once; each is 64 bytes of the lock file. LMDB's own 126 are soon used up. */
const MAX_READERS = 1000;

/** How much text of items is kept with what it was parsed to. */
const PARSED_LENGTH = 1024 * 1024;

/**
 * How much a query reads at once, in UTF-16 units: little at first, since most who ask for a list read its first page
 * only. Between chunks, LMDB may use the pages of old versions again.
 */
const FIRST_CHUNK_LENGTH = 16 * 1024;
const LARGEST_CHUNK_LENGTH = 1024 * 1024;
const CHUNK_GROWTH = 4;

/** How many items one transaction removes, for which others wait: a few milliseconds. */
const DELETED_AT_ONCE = 256;

/** The pages that one of them writes at most, beside those that all share. */
const DELETION_BYTES = 3 * PAGE_BYTES;

/**
 * Opens the table that is kept in an LMDB file in the folder; makes both if they are not there. Any number of processes
 * may have it open at once.
 *
 * Guarantees: once a promise has resolved, the data outlives the process, however it ends (`kill -9` too), and every
 * process reads it. A write is one short transaction that ends in the kernel's page cache: 25 µs, where waiting for the
 * disk takes from 300 µs to several ms. The disk itself is waited for in `close`. A machine that loses power in between
 * may lose the latest writes and, at worst, the file.
 *
 * Items are never removed on their own: `expires` is for tables that grow without an owner, and this folder has one.
 *
 * @throws {StoreError} if the folder cannot be written or the file is not a whole LMDB file
 */
export async function openLmdbTable(folder: string): Promise<Table> {
  const path = join(folder, TABLE_FILE);
  try {
    checkAddressSpace(path, MAP_SIZE);
    await prepareLmdbFile(path);
    const database = open<StoredItem, LmdbKey>({
      path,
      noSubdir: true,
      mapSize: MAP_SIZE,
      encoder: valueEncoder,
      keyEncoder,
      noSync: true,
      pageSize: PAGE_BYTES,
      maxReaders: MAX_READERS,
    });
    // LMDB keeps all pages since then for one who was reading when it was killed, until somebody looks whether it lives.
    const file = new LmdbFile(path, () => void database.readerCheck());
    return new LmdbTable(database, path, file);
  } catch (error) {
    throw fromLmdbError(error, path, 'open');
  }
}

class LmdbTable implements Table {
  readonly #database: RootDatabase<StoredItem, LmdbKey>;
  readonly #path: string;
  readonly #file: LmdbFile;
  /** Most items that are read have not changed since this process read or wrote them. Callers share their values. */
  readonly #parsed = new RecentlyUsed<{ text: string; value: Json }>(PARSED_LENGTH);
  #hasWritten = false;
  /** Whether something was read since the last microtask. */
  #isReading = false;
  readonly #readsAnew = () => {
    this.#isReading = false;
  };
  #closed: Promise<void> | undefined;

  constructor(database: RootDatabase<StoredItem, LmdbKey>, path: string, file: LmdbFile) {
    this.#database = database;
    this.#path = path;
    this.#file = file;
  }

  async get(key: Key): Promise<Item | undefined> {
    checkKey(key);
    return this.#read(() => this.#itemAt(key));
  }

  async putIfAbsent(key: Key, value: Json, options?: PutOptions): Promise<{ written: boolean; item: Item }> {
    checkKey(key);
    const stored = { version: 1, text: toJsonText(key, value, options?.text) };
    const ahead = toReplacements(options?.ahead);
    const present = this.#write(() => {
      this.#makeRoom(stored, ahead);
      // A boolean, in spite of lmdb's types.
      const isWritten: unknown = this.#database.putSync(toLmdbKey(key), stored, { noOverwrite: true });
      if (isWritten !== true) return this.#itemAt(key);
      this.#replace(ahead);
      return undefined;
    });
    if (present !== undefined) return { written: false, item: present };
    const isKeptByCaller = options?.text !== undefined;
    return {
      written: true,
      item: isKeptByCaller ? { key, value, version: 1 } : this.#known(key, value, stored),
    };
  }

  async putIfVersion(
    key: Key,
    value: Json,
    version: number,
    options?: PutOptions,
  ): Promise<Item | undefined> {
    checkKey(key);
    const stored = { version: version + 1, text: toJsonText(key, value) };
    const place = toLmdbKey(key);
    const ahead = toReplacements(options?.ahead);
    const isWritten = this.#write(() => {
      if (this.#versionAt(place) !== version) return false;
      this.#makeRoom(stored, ahead);
      this.#database.putSync(place, stored);
      this.#replace(ahead);
      return true;
    });
    return isWritten ? this.#known(key, value, stored) : undefined;
  }

  async *query(partition: string, prefix: string, options: QueryOptions = {}): AsyncGenerator<Item> {
    checkPrefix(partition, prefix);
    const { reverse = false, limit = Infinity, after } = options;
    const first: LmdbKey = [partition, prefix];
    const behindLast: LmdbKey = [partition, prefix, true];
    const edge = reverse ? behindLast : first;
    let start: LmdbKey = after === undefined ? edge : [partition, after];
    let exclusiveStart = after !== undefined;
    let length = FIRST_CHUNK_LENGTH;
    for (let left = limit; left > 0;) {
      const range = {
        start,
        exclusiveStart,
        end: reverse ? first : behindLast,
        inclusiveEnd: reverse,
        reverse,
        ...(left < Infinity && { limit: left }),
      };
      const chunk = this.#read(() => this.#chunkOf(partition, range, length));
      yield* chunk;
      const last = chunk.at(-1);
      if (!last) return;
      start = toLmdbKey(last.key);
      exclusiveStart = true;
      left -= chunk.length;
      length = Math.min(CHUNK_GROWTH * length, LARGEST_CHUNK_LENGTH);
    }
  }

  async keys(partition: string, prefix: string): Promise<Key[]> {
    checkPrefix(partition, prefix);
    const range = { start: [partition, prefix], end: [partition, prefix, true] } satisfies RangeOptions;
    return this.#read(() =>
      Array.from(this.#database.getKeys(range), ([, sort]): Key => ({ partition, sort })),
    );
  }

  newest(): number {
    return this.#guard('read', () => v.parse(Stats, this.#database.getStats()).lastTxnId);
  }

  async delete(key: Key): Promise<void> {
    await this.deleteAll([key]);
  }

  async deleteAll(keys: readonly Key[]): Promise<void> {
    keys.forEach(checkKey);
    for (let from = 0; from < keys.length; from += DELETED_AT_ONCE) {
      if (from > 0) await setImmediate();
      const step = keys.slice(from, from + DELETED_AT_ONCE);
      this.#write(() => {
        this.#file.makeRoom(step.length * DELETION_BYTES);
        for (const key of step) this.#database.removeSync(toLmdbKey(key));
      });
    }
  }

  async close(): Promise<void> {
    this.#closed ??= this.#syncAndClose();
    await this.#closed;
  }

  #itemAt(key: Key): Item | undefined {
    const stored = this.#database.get(toLmdbKey(key));
    return stored === undefined ? undefined : this.#toItem(key, stored);
  }

  /** Writes items whatever is there, in the transaction of another, which has made room for them. */
  #replace(items: readonly Written[]): void {
    for (const { place, text, savesRoom } of items) {
      if (text === undefined) this.#database.removeSync(place);
      else this.#database.putSync(place, { version: (this.#versionAt(place) ?? 0) + 1, text, savesRoom });
    }
  }

  /** For all that a transaction writes, since it looks at the file as it was before. */
  #makeRoom(stored: StoredItem, ahead: readonly Written[]): void {
    const sizes = [stored, ...ahead].map(({ text = '' }) => MOST_VERSION_BYTES + mostBytesOf(text));
    this.#file.makeRoom(sizes.reduce((sum, bytes) => sum + bytes, 0));
  }

  /** Without reading the rest of the item. */
  #versionAt(key: LmdbKey): number | undefined {
    return this.#database.get(key)?.version;
  }

  /** @param atLeast how long the texts of its items are together, unless the range ends before that */
  #chunkOf(partition: string, range: RangeOptions, atLeast: number): Item[] {
    const items: Item[] = [];
    let length = 0;
    for (const { key, value } of this.#database.getRange(range)) {
      const [, sort] = key;
      items.push(this.#toItem({ partition, sort }, value));
      length += value.text.length;
      if (length >= atLeast) break;
    }
    return items;
  }

  /** The item, whose value is not parsed again as long as the stored text stays the same. */
  #known(key: Key, value: Json, { version, text }: StoredItem): Item {
    this.#parsed.set(nameOf(key), { text, value }, text.length);
    return { key, value, version };
  }

  #toItem(key: Key, stored: StoredItem): Item {
    const known = this.#parsed.get(nameOf(key));
    if (known?.text === stored.text) return { key, value: known.value, version: stored.version };
    return this.#known(key, parseJson(stored.text), stored);
  }

  #read<T>(action: () => T): T {
    return this.#guard('read', () => {
      // LMDB would go on with the snapshot of an earlier read, older than later writes of others. Reads that are begun
      // at once share one.
      if (!this.#isReading) {
        this.#database.resetReadTxn();
        this.#isReading = true;
        // Not `queueMicrotask`, for which Node.js makes an object that its hooks follow.
        void NOW.then(this.#readsAnew);
      }
      return action();
    });
  }

  /** Runs the action in a transaction of its own, which keeps other processes out: it reads the newest data. */
  #write<T>(action: () => T): T {
    return this.#guard('write to', () => {
      this.#hasWritten = true;
      return this.#database.transactionSync(action);
    });
  }

  #guard<T>(deed: string, action: () => T): T {
    if (this.#closed) throw new StoreError(`the store ${this.#path} is closed`);
    try {
      return action();
    } catch (error) {
      throw fromLmdbError(error, this.#path, deed);
    }
  }

  async #syncAndClose(): Promise<void> {
    try {
      if (this.#hasWritten) await this.#file.sync();
    } catch (error) {
      throw fromLmdbError(error, this.#path, 'sync');
    } finally {
      this.#file.close();
      await this.#database.close();
    }
  }
}

const NOW = Promise.resolve();

/** Of what LMDB reports about itself: the number of the last transaction, whichever process wrote it. */
const Stats = v.object({ lastTxnId: v.number() });

/** Of a stored item's version, with the blank behind it. */
const MOST_VERSION_BYTES = 17;

/** A replacement as it is written; without a text, what is there is removed. */
interface Written {
  place: LmdbKey;
  text: string | undefined;
  savesRoom: boolean | undefined;
}

function toReplacements(items: readonly Replacement[] = []): Written[] {
  return items.map(({ key, value, savesRoom }) => {
    checkKey(key);
    return {
      place: toLmdbKey(key),
      text: value === undefined ? undefined : toJsonText(key, value),
      savesRoom,
    };
  });
}
