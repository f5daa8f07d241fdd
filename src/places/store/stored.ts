import { isJsonObject, type Json } from '../../json.ts';
import type { Item } from './table.ts';

/**
 * Records on their way into the store and out of it. Each kind of record has keys of its own and is written by one
 * function, so the value under a key is the one that was written, and is not parsed again for every read.
 */
export function toStored(record: object): Json {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- interfaces have no index signature, their values are JSON
  return record as Json;
}

/** @throws {TypeError} as `fromStored` does */
export function fromItem<T extends object>({ key, value }: Pick<Item, 'key' | 'value'>): T {
  return fromStored<T>(value, `${key.partition} ${key.sort}`);
}

/** @throws {TypeError} if there is no record but some other value, which a foreign program wrote to the table */
export function fromStored<T extends object>(value: Json | undefined, key: string): T {
  if (!isJsonObject(value)) throw new TypeError(`the store holds no record under ${key}`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by toStored under the same key
  return value as object as T;
}
