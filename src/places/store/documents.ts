import { StoreError, messageOf } from '../../errors.ts';
import { isNested, parseJson, type Json } from '../../json.ts';
import { contentName } from './blob-key.ts';
import type { Blobs } from './blobs.ts';
import { mostBytesOf } from './item-limits.ts';
import { RecentlyUsed } from './recently-used.ts';
import { fromStored, toStored } from './stored.ts';
import { keysOf, type Item, type Key, type PutOptions, type QueryOptions, type Table } from './table.ts';

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
  /** The result of `get`, if it is known without reading. Undefined does not mean that there is no such document. */
  recent<T extends object>(key: Key): T | undefined;
  /** @returns the value under the key now: the first one written wins */
  putIfAbsent<T extends object>(key: Key, value: T, options?: PutOptions): Promise<T>;
  query<T extends object>(partition: string, prefix: string, options?: QueryOptions): Promise<T[]>;
  /**
   * Removes the blobs of the partition's documents, and forgets these.
   * @returns the keys of all of its items, which are to be removed next
   */
  clear(partition: string): Promise<Key[]>;
}

/**
 * Above this a value becomes a blob. DynamoDB ends at 400 KB an item and charges by the kilobyte written, and a
 * query reads 1 MB at a time: a conversation of ordinary turns should come in one.
 */
export const INLINE_BYTES = 64 * 1024;

/** As JSON, about half a dozen long conversations. */
const RECENT_CHARACTERS = 4 * 1024 ** 2;

/** The table's part of a document: the value, or where it is. */
interface Kept {
  inline?: Json;
  blob?: string;
}

export function createDocuments(table: Table, blobs: Blobs): Documents {
  const recentlyUsed = new RecentlyUsed<object>(RECENT_CHARACTERS);

  function recent<T extends object>(key: Key): T | undefined {
    const name = nameOf(key);
    const known = recentlyUsed.get(name);
    return known === undefined ? undefined : fromStored<T>(toStored(known), name);
  }

  async function open<T extends object>({ key, value }: Item): Promise<T> {
    const known = recent<T>(key);
    if (known !== undefined) return known;
    const name = nameOf(key);
    const { inline, blob } = fromStored<Kept>(value, name);
    if (blob === undefined) {
      const document = fromStored<T>(inline, name);
      recentlyUsed.set(name, document, weightOf(inline));
      return document;
    }
    const text = await blobs.get(blob);
    const document = fromStored<T>(parseKept(text, blob), blob);
    recentlyUsed.set(name, document, text.length);
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
      const isLarge = mostBytesOf(text) > INLINE_BYTES && Buffer.byteLength(text) > INLINE_BYTES;
      const blob = isLarge ? blobKey(key, text) : undefined;
      if (blob !== undefined) await blobs.put(blob, text);
      const kept: Kept = blob === undefined ? { inline: toStored(value) } : { blob };
      const inlineText = blob === undefined ? { text: `{"inline":${text}}` } : {};
      const { written, item } = await table.putIfAbsent(key, toStored(kept), { ...options, ...inlineText });
      if (!written) return open<T>(item);
      recentlyUsed.set(nameOf(key), value, text.length);
      return value;
    },

    async query<T extends object>(partition: string, prefix: string, options?: QueryOptions) {
      const documents: Promise<T>[] = [];
      for await (const item of table.query(partition, prefix, options)) documents.push(open<T>(item));
      return Promise.all(documents);
    },

    async clear(partition) {
      // These first: as long as the items are there, a deletion that was cut short can be repeated.
      await blobs.deleteBelow?.(asSegments(partition));
      const keys = await keysOf(partition, '', table);
      for (const key of keys) recentlyUsed.delete(nameOf(key));
      return keys;
    },
  };
}

function parseKept(text: string, name: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    throw new StoreError(`"${name}" in the store is damaged: ${messageOf(error)}`, { cause: error });
  }
}

/** About the characters of a value as JSON: to write it only to count them would take several times as long. */
function weightOf(value: Json | undefined): number {
  if (typeof value === 'string') return value.length + 2;
  if (!isNested(value)) return 5;
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + weightOf(each) + 1, 2);
  let weight = 2;
  for (const name in value) weight += name.length + 4 + weightOf(value[name]);
  return weight;
}

/** One text for each key. */
function nameOf({ partition, sort }: Key): string {
  return `${partition.length} ${partition}${sort}`;
}

/** `run/digest-…/turn-0001/<content name>`: a bucket's listing shows objects that belong together side by side. */
function blobKey({ partition, sort }: Key, text: string): string {
  return `${asSegments(`${partition}/${sort}`)}/${contentName(text)}`;
}

function asSegments(key: string): string {
  return key.replaceAll('#', '/');
}
