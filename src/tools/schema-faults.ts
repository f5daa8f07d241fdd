import { createContext, Script, type Context } from 'node:vm';
import { messageOf } from '../errors.ts';
import { fromPointer } from '../json.ts';
import type { OutputUnit } from '@cfworker/json-schema';
import type { JsonSchema } from '../runs/message.ts';

/** More faults than these help nobody with the arguments of one call. */
export const MAX_FAULTS = 3;

/** What these say is that another fault was found further down, or what the one before has said already. */
const ABOUT_OTHERS = new Set(['properties', 'items', 'false']);

/** Long enough for any schema but one with a pattern that makes texts take for ever. */
const MAX_MS = 500;

/** Where a value does not hold a schema. */
export interface ValueFault {
  /** The names and indexes that lead there from the top. */
  place: string[];
  /** Of the schema. */
  keyword?: string;
  reason: string;
}

/** Where a value does not hold a schema, in words for a model: `place: reason`. */
export async function schemaFaults(value: unknown, schema: JsonSchema, most = MAX_FAULTS): Promise<string[]> {
  const faults = await faultsOf(value, schema);
  return faults
    .slice(0, most)
    .map(({ place, reason }) => (place.length === 0 ? reason : `${place.join('.')}: ${reason}`));
}

/**
 * Where a value does not hold a schema. The validator is loaded with the first value that is checked. A schema may come
 * from a server: one that cannot be checked to its end is a fault, too.
 */
export async function faultsOf(value: unknown, schema: JsonSchema): Promise<ValueFault[]> {
  const { Validator } = await import('@cfworker/json-schema');
  let errors: OutputUnit[];
  try {
    errors = withinTime(() => new Validator(schema, '2020-12', false).validate(value)).errors;
  } catch (thrown) {
    return [{ place: [], reason: `it cannot be checked: ${messageOf(thrown)}` }];
  }
  const own = errors.filter(({ keyword }) => !ABOUT_OTHERS.has(keyword));
  return (own.length > 0 ? own : errors).map(({ instanceLocation, keyword, error }) => ({
    place: instanceLocation.split('/').slice(1).map(fromPointer),
    keyword,
    reason: error.replace(/\.$/, ''),
  }));
}

/** Does work that nothing else could interrupt. @throws whatever it throws, or if it takes too long */
function withinTime<T>(work: () => T): T {
  const done: T[] = [];
  callable.work = () => void done.push(work());
  try {
    CALL.runInContext((context ??= createContext(callable)), { timeout: MAX_MS });
  } catch (thrown) {
    // The error of a time-out is none of this realm.
    if (!(thrown instanceof Error)) throw new Error(TOO_LONG, { cause: thrown });
    throw thrown;
  }
  const [result] = done;
  if (result === undefined) throw new TypeError('the work came to nothing');
  return result;
}

const CALL = new Script('work()');
const callable = { work: () => {} };
let context: Context | undefined;
const TOO_LONG = `it takes longer than ${MAX_MS} ms, perhaps for a pattern in its schema`;
