import { createHash } from 'node:crypto';
import type { Json } from '../json.ts';
import type { Blobs } from './blobs.ts';
import { RecentlyUsed } from './recently-used.ts';
import type { Item, Key, PutOptions, Table } from './table.ts';

/**
 * Values of any size under a table's key: small ones in the item itself, large ones as a blob that the item refers
 * to. A blob is named for its content and written before the item, so an item never refers to a text that is not
 * there, and of two writers the one that loses leaves the winner's text alone.
 *
 * A document is written once, so this process need not read again what it wrote or read lately. Callers share these
 * values and leave them as they are.
 */
export interface Documents {
  get<T extends object>(key: Key): Promise<T | undefined>;
  /** What `get` would give without reading anything. Undefined does not mean that there is no such document. */
  recent<T extends object>(key: Key): T | undefined;
  /** @returns what is kept under the key now: the first value written wins */
  putIfAbsent<T extends object>(key: Key, value: T, options?: PutOptions): Promise<T>;
  query<T extends object>(partition: string, prefix: string): Promise<T[]>;
}

/**
 * Above this a value becomes a blob. DynamoDB ends at 400 KB an item and charges by the kilobyte written, and a
 * query reads 1 MB at a time: a conversation of ordinary turns should come in one.
 */
const INLINE_BYTES = 64 * 1024;

/** As JSON, about half a dozen long conversations. */
const RECENT_CHARACTERS = 4 * 1024 ** 2;

export function createDocuments(table: Table, blobs: Blobs): Documents {
  const recentlyUsed = new RecentlyUsed<object>(RECENT_CHARACTERS);

  // What is kept here was written by putIfAbsent below, under a key that belongs to one type only.
  const recent = <T extends object>(key: Key) => recentlyUsed.get(nameOf(key)) as T | undefined;

  async function open<T extends object>({ key, value }: Item): Promise<T> {
    const known = recent<T>(key);
    if (known !== undefined) return known;
    if (value === null || typeof value !== 'object' || Array.isArray(value)) {
      throw new TypeError(`not a document: ${key.partition} ${key.sort}`);
    }
    const text =
      typeof value['blob'] === 'string' ? await blobs.get(value['blob']) : JSON.stringify(value['inline']);
    const document = JSON.parse(text) as T;
    recentlyUsed.set(nameOf(key), document, text.length);
    return document;
  }

  return {
    recent,

    async get<T extends object>(key: Key) {
      const known = recent<T>(key);
      if (known !== undefined) return known;
      const item = await table.get(key);
      return item === undefined ? undefined : open<T>(item);
    },

    async putIfAbsent<T extends object>(key: Key, value: T, options?: PutOptions) {
      const text = JSON.stringify(value);
      let kept: Json = { inline: value as unknown as Json };
      if (Buffer.byteLength(text) > INLINE_BYTES) {
        kept = { blob: blobKey(key, text) };
        await blobs.put(kept['blob'] as string, text);
      }
      const { written, item } = await table.putIfAbsent(key, kept, options);
      if (!written) return open<T>(item);
      recentlyUsed.set(nameOf(key), value, text.length);
      return value;
    },

    async query<T extends object>(partition: string, prefix: string) {
      const documents: Promise<T>[] = [];
      for await (const item of table.query(partition, prefix)) documents.push(open<T>(item));
      return Promise.all(documents);
    },
  };
}

/** One text for each key. */
function nameOf({ partition, sort }: Key): string {
  return `${partition.length} ${partition}${sort}`;
}

/** `run/digest-…/turn-0001/<hash>`: a bucket's listing shows what belongs together. */
function blobKey({ partition, sort }: Key, text: string): string {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 32);
  return `${partition}/${sort}/${hash}.json`.replaceAll('#', '/');
}
