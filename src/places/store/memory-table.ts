import { StoreError } from '../../errors.ts';
import { isNested, type Json, type JsonObject } from '../../json.ts';
import type { Blobs } from './blobs.ts';
import type { Item, Key, QueryOptions, Replacement, Table } from './table.ts';

/** For texts that fit into the table. */
export const NO_BLOBS = {
  put: () => Promise.reject(new Error('a text is too large')),
  get: () => Promise.reject(new Error('there is no blob')),
  delete: async () => {},
};

/** Blobs in this process's memory. */
export function createMemoryBlobs(): Blobs {
  const texts = new Map<string, string>();
  return {
    put: async (key, text) => void texts.set(key, text),
    async get(key) {
      const text = texts.get(key);
      if (text === undefined) throw new StoreError(`blob "${key}" is missing`);
      return text;
    },
    delete: async (key) => void texts.delete(key),
    async deleteBelow(segments) {
      for (const key of texts.keys()) if (key.startsWith(`${segments}/`)) texts.delete(key);
    },
  };
}

interface Partition {
  items: Map<string, Item>;
  /** The keys in order. */
  sorts: string[];
}

/** A table in this process's memory. Values are copied on the way in, and shared by all who read them: nobody may change them. */
export function createMemoryTable(): Table {
  const partitions = new Map<string, Partition>();
  const at = ({ partition, sort }: Key) => partitions.get(partition)?.items.get(sort);
  const put = (key: Key, value: Json, version: number): Item => {
    const { items, sorts } = partitions.get(key.partition) ?? { items: new Map(), sorts: [] };
    if (!items.has(key.sort)) sorts.splice(firstFrom(sorts, key.sort), 0, key.sort);
    items.set(key.sort, { key, value: frozenCopy(value), version });
    partitions.set(key.partition, { items, sorts });
    return { key, value, version };
  };
  const remove = ({ partition, sort }: Key) => {
    const { items, sorts } = partitions.get(partition) ?? {};
    if (items?.delete(sort)) sorts?.splice(firstFrom(sorts, sort), 1);
  };
  const replace = (items: readonly Replacement[] = []) => {
    for (const { key, value } of items) {
      if (value === undefined) remove(key);
      else put(key, value, (at(key)?.version ?? 0) + 1);
    }
  };
  return {
    async get(key) {
      return at(key);
    },
    async putIfAbsent(key, value, options) {
      const there = at(key);
      if (there !== undefined) return { written: false, item: there };
      replace(options?.ahead);
      return { written: true, item: put(key, value, 1) };
    },
    async putIfVersion(key, value, version, options) {
      if (at(key)?.version !== version) return undefined;
      replace(options?.ahead);
      return put(key, value, version + 1);
    },
    async *query(partition: string, prefix: string, { reverse = false, limit, after }: QueryOptions = {}) {
      const { sorts } = partitions.get(partition) ?? { sorts: [] };
      let from = firstFrom(sorts, prefix);
      let to = firstOf(sorts, (sort) => !sort.startsWith(prefix), from);
      if (after !== undefined && reverse) to = firstFrom(sorts, after);
      else if (after !== undefined) from = firstOf(sorts, (sort) => inOrder(sort, after) > 0);
      const found = reverse
        ? sorts.slice(Math.max(from, to - (limit ?? Infinity)), to).reverse()
        : sorts.slice(from, Math.min(to, from + (limit ?? Infinity)));
      for (const sort of found) {
        const there = at({ partition, sort });
        if (there !== undefined) yield there;
      }
    },
    async delete(key) {
      remove(key);
    },
    async close() {},
  };
}

/** As JSON would carry the value, and no part of which can be changed any more. */
function frozenCopy(value: Json): Json {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (!isNested(value) || frozen.has(value)) return value;
  const copy = Array.isArray(value) ? value.map(frozenCopy) : copyOfObject(value);
  frozen.add(Object.freeze(copy));
  return copy;
}

/** What was copied before, which most changed records have parts of. */
const frozen = new WeakSet<object>();

function copyOfObject(value: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const name of Object.keys(value)) {
    const member: Json | undefined = value[name];
    if (member === undefined) continue;
    // A plain assignment to this key would set the prototype instead.
    if (name === '__proto__')
      Object.defineProperty(copy, name, { value: frozenCopy(member), enumerable: true });
    else copy[name] = frozenCopy(member);
  }
  return copy;
}

/** By the bytes of UTF-8, whose order is that of UTF-16 but for surrogates. */
function inOrder(one: string, other: string): number {
  if (SURROGATE.test(one) || SURROGATE.test(other)) {
    return Buffer.compare(Buffer.from(one), Buffer.from(other));
  }
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

const SURROGATE = /[\ud800-\udfff]/;

/** The index of the first key that is not in front of this one. */
function firstFrom(sorts: readonly string[], sort: string): number {
  return firstOf(sorts, (each) => inOrder(each, sort) >= 0);
}

/**
 * The index of the first key that satisfies a condition which all later keys satisfy, too; the number of keys if there
 * is none.
 * @param from where to begin
 */
function firstOf(sorts: readonly string[], isSo: (sort: string) => boolean, from = 0): number {
  let low = from;
  let high = sorts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isSo(sorts[middle] ?? '')) high = middle;
    else low = middle + 1;
  }
  return low;
}
