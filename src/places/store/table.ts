import type { Json } from '../../json.ts';

/**
 * The table port: the few operations that DynamoDB and an embedded store can both do atomically. There are no
 * transactions on purpose (see docs/decisions): records are laid out so that single-item writes are enough.
 */
export interface Table {
  /** The item under the key, or undefined. Reads see every write that was acknowledged before. */
  get(key: Key): Promise<Item | undefined>;

  /**
   * Writes the item if there is none under the key.
   * @returns the item that is there now, and whether this call wrote it
   */
  putIfAbsent(key: Key, value: Json, options?: PutOptions): Promise<{ written: boolean; item: Item }>;

  /**
   * Writes the item if its version is still `version`; its version is then one higher.
   * @returns the new item, or undefined if the item is gone or has moved on
   */
  putIfVersion(key: Key, value: Json, version: number, options?: PutOptions): Promise<Item | undefined>;

  /** The items of one partition whose sort key starts with `prefix`, in order of the sort key's UTF-8 bytes. */
  query(partition: string, prefix: string, options?: QueryOptions): AsyncIterable<Item>;

  /** The keys of what `query` gives, at less cost; absent where there is no such way. */
  keys?(partition: string, prefix: string): Promise<Key[]>;

  /**
   * A number that the next write of any process changes, at almost no cost; -1: there is no table yet; absent: there is
   * no such number.
   */
  newest?(): number;

  /** Removes the item, if there is one. */
  delete(key: Key): Promise<void>;

  /**
   * Removes items at less cost than one by one; absent where there is no such way. They go in this order, in steps
   * between which others write.
   */
  deleteAll?(keys: readonly Key[]): Promise<void>;

  /** Waits for work under way and closes files and sockets, those of a client that was handed in too. */
  close(): Promise<void>;
}

export interface Key {
  /** 1 to 1,024 bytes of UTF-8. */
  partition: string;
  /** 1 to 512 bytes of UTF-8. */
  sort: string;
}

export interface Item {
  key: Key;
  /** At most 350,000 bytes as JSON (DynamoDB's items end at 400 KB); larger ones are a caller's mistake. */
  value: Json;
  /** 1 when first written, one more for each later write. */
  version: number;
}

export interface PutOptions {
  /** When the item may be removed, in seconds since 1970 (DynamoDB's TTL; a local store keeps it); absent: never. */
  expires?: number;
  /** The value as JSON, from a caller that has both at hand and will not soon read them again. */
  text?: string;
  /**
   * Items that follow from this one, and are written ahead of it over whatever is there: a process that dies in between
   * leaves them without it, and the repetition of its write replaces them. Whether they are written where this one is
   * not is left to the table. Those that are removed go once this one is there, and not without it.
   */
  ahead?: readonly Replacement[];
}

/** An item as it is from now on. */
export interface Replacement {
  key: Key;
  /** Absent: it is removed. */
  value?: Json;
  /** Whether less room on a disk is worth more time, as for what is large and seldom written; absent: no. */
  savesRoom?: boolean;
}

export interface QueryOptions {
  /** Last first. */
  reverse?: boolean;
  /** Most items to give; absent: all. */
  limit?: number;
  /** Goes on behind this sort key, which has the prefix and may be of no item; absent: from the beginning. */
  after?: string;
}

/** The keys of the items of one partition whose sort key starts with `prefix`, in their order. */
export async function keysOf(
  partition: string,
  prefix: string,
  table: Pick<Table, 'keys' | 'query'>,
): Promise<Key[]> {
  if (table.keys !== undefined) return table.keys(partition, prefix);
  const keys: Key[] = [];
  for await (const { key } of table.query(partition, prefix)) keys.push(key);
  return keys;
}

/** Removes items in this order. */
export async function deleteItems(
  keys: readonly Key[],
  table: Pick<Table, 'delete' | 'deleteAll'>,
): Promise<void> {
  if (table.deleteAll !== undefined) return table.deleteAll(keys);
  for (const key of keys) await table.delete(key);
}
