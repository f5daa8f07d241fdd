import { StoreError } from '../../errors.ts';
import type { Json } from '../../json.ts';
import type { Key } from './table.ts';

/** Inside DynamoDB's limits (2,048 and 1,024 bytes), and both together inside LMDB's (1,978). */
const MAX_PARTITION_BYTES = 1024;
const MAX_SORT_BYTES = 512;

/** DynamoDB's items end at 409,600 bytes with names, keys and what a table keeps beside the value. */
const MAX_VALUE_BYTES = 350_000;

/** Of UTF-16, in UTF-8. */
const MOST_BYTES_OF_UNIT = 3;

/** An upper bound of a text's bytes as UTF-8, so that most texts need not be measured. */
export function mostBytesOf(text: string): number {
  return MOST_BYTES_OF_UNIT * text.length;
}

/** A key as messages show it. */
export function nameOf(key: Key): string {
  return `"${key.partition} ${key.sort}"`;
}

/** @throws {StoreError} unless the key is one that every table can hold, unambiguously */
export function checkKey({ partition, sort }: Key): void {
  checkKeyPart('partition', partition, 1, MAX_PARTITION_BYTES);
  checkKeyPart('sort key', sort, 1, MAX_SORT_BYTES);
}

/** @throws {StoreError} unless there can be items under the partition and prefix */
export function checkPrefix(partition: string, prefix: string): void {
  checkKeyPart('partition', partition, 1, MAX_PARTITION_BYTES);
  checkKeyPart('prefix', prefix, 0, MAX_SORT_BYTES);
}

/**
 * The value as it is stored: JSON text, since DynamoDB's own numbers and maps do not hold all that JSON can.
 * @param text the same, if the caller has it already
 * @throws {StoreError} if it is larger than an item may be
 */
export function toJsonText(key: Key, value: Json, text = JSON.stringify(value)): string {
  const bytes = mostBytesOf(text) > MAX_VALUE_BYTES ? Buffer.byteLength(text) : 0;
  if (bytes > MAX_VALUE_BYTES) {
    throw new StoreError(
      `item ${nameOf(key)} has ${bytes} bytes as JSON, and the limit is ${MAX_VALUE_BYTES}: store long texts as blobs`,
    );
  }
  return text;
}

function checkKeyPart(what: string, text: string, min: number, max: number): void {
  // Most keys are far from the limits, and are not counted.
  if (text.length < min || mostBytesOf(text) > max) {
    const bytes = Buffer.byteLength(text);
    if (bytes < min || bytes > max) {
      throw new StoreError(`${what} "${text}" is ${bytes} bytes long: it must have ${min} to ${max}`);
    }
  }
  // Half a surrogate pair has no UTF-8: it would be written as U+FFFD and meet other keys there.
  if (!text.isWellFormed()) {
    throw new StoreError(
      `${what} ${JSON.stringify(text)} contains half a surrogate pair: cut texts between characters`,
    );
  }
}
