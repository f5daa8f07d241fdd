import { createHash, randomUUID } from 'node:crypto';
import type { Expression } from 'jsonata';
import { isFunction, MAX_DATA_BYTES, parseJson } from './json-value.ts';

/** The most items that $range gives; the service was seen to refuse one more. */
const MAX_RANGE_ITEMS = 360_145;

const HASHES: Record<string, string> = {
  MD5: 'md5',
  'SHA-1': 'sha1',
  'SHA-256': 'sha256',
  'SHA-384': 'sha384',
  'SHA-512': 'sha512',
};

/** The names of all functions that an expression may call, those of JSONata 2.0.6 and of the service. */
export const FUNCTIONS: ReadonlySet<string> = new Set(
  (
    'sum count max min average string substring substringBefore substringAfter lowercase uppercase length trim pad match ' +
    'contains replace split join formatNumber formatBase formatInteger parseInteger number floor ceil round abs sqrt power ' +
    'boolean not map zip filter single reduce sift keys lookup append exists spread merge reverse each error assert type ' +
    'sort shuffle distinct base64encode base64decode encodeUrlComponent encodeUrl decodeUrlComponent decodeUrl toMillis ' +
    'fromMillis now millis clone foldLeft random partition range hash uuid parse'
  ).split(' '),
);

/**
 * Adds to an expression the functions that the service has beside those of JSONata itself, and two in place of its
 * own: `$lookup`, which there finds inherited members too, and `$pad`, which has no bound.
 */
export function registerFunctions(expression: Expression): void {
  expression.registerFunction('partition', partition, '<an:a<a>>');
  expression.registerFunction('range', range, '<nnn?:a<n>>');
  expression.registerFunction('hash', hash, '<xs?:s>');
  expression.registerFunction('random', random, '<n?:n>');
  expression.registerFunction('uuid', () => randomUUID(), '<:s>');
  expression.registerFunction('parse', parse, '<s:x>');
  expression.registerFunction('lookup', lookup, '<x-s:x>');
  expression.registerFunction('pad', pad, '<s-ns?:s>');
  // The service has no $eval; the name is taken away rather than refused, so that the error is that of the service.
  expression.assign('eval', undefined);
}

/** Parts of the size, the last of which may be shorter; nothing of an empty array. */
function partition(array: unknown[] | undefined, size: number): unknown[][] | undefined {
  if (array === undefined) return undefined;
  const step = Math.trunc(size);
  if (!(step > 0)) throw new Error(`$partition needs a positive size but was given ${size}`);
  const parts: unknown[][] = [];
  for (let start = 0; start < array.length; start += step) parts.push(array.slice(start, start + step));
  return parts.length === 0 ? undefined : parts;
}

function range(first?: number, last?: number, step?: number): number[] | undefined {
  if (first === undefined || last === undefined || step === undefined) return undefined;
  const start = Math.trunc(first);
  const by = Math.trunc(step);
  if (by === 0) return undefined;
  const count = Math.max(0, Math.floor((Math.trunc(last) - start) / by) + 1);
  if (count > MAX_RANGE_ITEMS) {
    throw new Error('Expression evaluation memory limit exceeded: Check for excessive memory usage');
  }
  return toSequence(Array.from({ length: count }, (_, index) => start + index * by));
}

/**
 * Marks an array as a sequence, of which JSONata makes nothing if it is empty and its item if it has but one, unless
 * `[]` asks for the array.
 */
function toSequence<T>(items: T[]): T[] {
  return Object.defineProperty(items, 'sequence', { value: true });
}

function hash(data: unknown, algorithm = 'SHA-256'): string | undefined {
  if (data === undefined) return undefined;
  const name = HASHES[algorithm];
  if (name === undefined) {
    throw new Error(`$hash knows ${Object.keys(HASHES).join(', ')} but was asked for ${algorithm}`);
  }
  return createHash(name)
    .update(typeof data === 'string' ? data : JSON.stringify(data))
    .digest('hex');
}

/**
 * A number from 0 up to 1; the same for the same seed. The generator is that of Java, in which the service is
 * written: a linear congruence of 48 bits, of which 53 of two steps make a double.
 */
function random(seed?: number): number {
  if (seed === undefined) return Math.random();
  let state = BigInt.asUintN(48, BigInt(Math.trunc(seed)) ^ MULTIPLIER);
  const next = (bits: bigint): bigint => {
    state = BigInt.asUintN(48, state * MULTIPLIER + 11n);
    return state >> (48n - bits);
  };
  return Number((next(26n) << 27n) + next(27n)) / 2 ** 53;
}

const MULTIPLIER = 0x5deece66dn;

function parse(text: string | undefined): unknown {
  return text === undefined ? undefined : parseJson(text);
}

function lookup(input: unknown, key: string): unknown {
  if (Array.isArray(input)) {
    return toSequence(
      input.flatMap((item: unknown) => lookup(item, key)).filter((item) => item !== undefined),
    );
  }
  if (typeof input !== 'object' || input === null || isFunction(input)) return undefined;
  const found: unknown = Object.getOwnPropertyDescriptor(input, key)?.value;
  return found;
}

function pad(text: string | undefined, width: number, fill = ' '): string | undefined {
  if (text === undefined) return undefined;
  if (Math.abs(width) > MAX_DATA_BYTES) {
    throw new Error(`$pad makes at most ${MAX_DATA_BYTES} characters but ${Math.abs(width)} were asked for`);
  }
  const characters = [...(fill === '' ? ' ' : fill)];
  const missing = Math.max(0, Math.abs(width) - [...text].length);
  const padding = Array.from({ length: missing }, (_, index) => characters[index % characters.length]).join(
    '',
  );
  return width > 0 ? text + padding : padding + text;
}
