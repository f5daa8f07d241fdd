import { Buffer } from 'node:buffer';
import type { Json, JsonObject } from '../../json.ts';

/** 262,144 bytes of UTF-8: the most that an input, an output or the result of a task, state or execution may take. */
export const MAX_DATA_BYTES = 262_144;

/** A value that JSON has no form for, such as a function. */
export class NotJson extends Error {
  override readonly name = 'NotJson';
}

/** @throws SyntaxError */
export function parseJson(text: string): Json {
  return copyJson(JSON.parse(text));
}

/**
 * A deep copy that shares nothing with `value`: plain arrays and objects, members without a value left out.
 * Numbers that JSON cannot write become text, as the service does it (`1/0` is `"Infinity"`).
 * @throws NotJson for functions, symbols and big integers
 */
export function copyJson(value: unknown): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (Array.isArray(value)) return value.map((item) => (item === undefined ? null : copyJson(item)));
  if (!isObject(value)) throw new NotJson(`a ${typeof value} is not JSON`);
  if (isFunction(value)) throw new NotJson('a function is not JSON');
  if (value instanceof Date) return value.toISOString();
  return copyObject(value);
}

function copyObject(value: { [key: string]: unknown }): JsonObject {
  const copy: JsonObject = {};
  // Not by pairs, of which there would be as many as members.
  Object.keys(value).forEach((key) => {
    const member = value[key];
    if (member === undefined) return;
    // A plain assignment to this key would set the prototype instead.
    if (key === '__proto__') {
      Object.defineProperty(copy, key, { value: copyJson(member), enumerable: true, configurable: true });
    } else copy[key] = copyJson(member);
  });
  return copy;
}

function isObject(value: unknown): value is { [key: string]: unknown } {
  return typeof value === 'object' && value !== null;
}

/** Whether a value is a function, of JavaScript or of JSONata, which knows its own by these marks. */
export function isFunction(value: unknown): boolean {
  if (!isObject(value)) return typeof value === 'function';
  return '_jsonata_lambda' in value || '_jsonata_function' in value;
}

/** Whether a value, as JSON text, fits into the service's limit for data. */
export function fitsDataLimit(value: Json): boolean {
  return mostBytes(value) <= MAX_DATA_BYTES || Buffer.byteLength(JSON.stringify(value)) <= MAX_DATA_BYTES;
}

/** An upper bound of a value's size, found faster than its text is written: most values are far below the limit. */
function mostBytes(value: Json): number {
  if (typeof value === 'string') return MOST_BYTES_OF_UNIT * value.length + QUOTES;
  if (typeof value !== 'object' || value === null) return LONGEST_NUMBER;
  let sum = BRACKETS;
  if (Array.isArray(value)) for (const item of value) sum += mostBytes(item) + COMMA;
  else for (const key in value) sum += mostBytes(key) + mostBytes(value[key] ?? null) + COLON + COMMA;
  return sum;
}

/** Of UTF-16, as an escape. */
const MOST_BYTES_OF_UNIT = 6;
/** As in `-1.2345678901234567e-300`. */
const LONGEST_NUMBER = 24;
const QUOTES = 2;
const BRACKETS = 2;
const COLON = 1;
const COMMA = 1;
