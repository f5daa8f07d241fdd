import { isNested } from '../../src/json.ts';
import type { Item } from '../../src/places/store/table.ts';

/** A unit reads 4 KB with strong consistency; a query is charged for all of its items together (DynamoDB, "Read units"). */
const READ_BYTES = 4_096;
/** (DynamoDB, "Write units".) */
const WRITE_BYTES = 1_024;

/** Beside its value, an item has its keys, a version and two ids of writes. */
const OTHER_BYTES = 150;

/** The bytes that an item is charged for. */
export function sizeOf({ key, value }: Pick<Item, 'key'> & { value: unknown }): number {
  return OTHER_BYTES + bytesOf(value) + Buffer.byteLength(key.partition + key.sort);
}

/** Sizes of values that are stored as JSON. Most are read many times, and none is changed. */
const known = new WeakMap<object, number>();

function bytesOf(value: unknown): number {
  const before = isNested(value) ? known.get(value) : undefined;
  if (before !== undefined) return before;
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (isNested(value)) known.set(value, bytes);
  return bytes;
}

export function readUnits(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / READ_BYTES));
}

export function writeUnits(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / WRITE_BYTES));
}
