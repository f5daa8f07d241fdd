import { createContext, Script, type Context } from 'node:vm';
import { messageOf } from '../../errors.ts';
import { fromPointer, isJsonObject, isNested, type Json } from '../../json.ts';
import { Validator, type OutputUnit } from '@cfworker/json-schema';
import * as v from 'valibot';
import type { JsonSchema } from '../records/message.ts';
import { preview } from '../records/preview.ts';

/** More faults than these do not help with the arguments of one call. */
export const MAX_FAULTS = 3;

/** Faults that only say that another fault was found further down. */
const ABOUT_OTHERS = new Set(['$ref', 'additionalProperties', 'items', 'properties']);

/** Long enough for any schema except one with a pattern that takes for ever. */
const MAX_MS = 500;

/** Where a value does not match a schema. */
export interface ValueFault {
  /** The names and indexes that lead there from the top; the last one may be missing there. */
  place: string[];
  /** The fault, as the words that follow the name of the place. */
  reason: string;
}

/**
 * The places where a value does not match a schema, in words for a model: `property "city" is missing`.
 * @param noun for the members of the value
 */
export function schemaFaults(
  value: unknown,
  schema: JsonSchema,
  noun: 'argument' | 'property',
  most = MAX_FAULTS,
): string[] {
  const faults = faultsOf(value, schema);
  return faults.slice(0, most).map((fault) => faultText(fault, noun));
}

export function faultText({ place, reason }: ValueFault, noun: 'argument' | 'property'): string {
  return place.length === 0 ? `it ${reason}` : `${noun} "${place.join('.')}" ${reason}`;
}

/**
 * Where a value does not match a schema. A schema may come from a server: one that cannot be checked to its end counts
 * as a fault, too.
 */
export function faultsOf(value: unknown, schema: JsonSchema): ValueFault[] {
  let errors: OutputUnit[];
  try {
    const within = isPlainSchema(schema) ? now : withinTime;
    errors = within(() => validatorOf(schema).validate(value)).errors;
  } catch (thrown) {
    return [{ place: [], reason: `cannot be checked: ${messageOf(thrown)}` }];
  }
  const own = errors.filter(({ keyword }) => !ABOUT_OTHERS.has(keyword));
  return (own.length > 0 ? own : errors).map((error) => toFault(error, value));
}

const now = <T>(work: () => T): T => work();

/** Of the schemas that were lately in use. */
const validators = new WeakMap<JsonSchema, Validator>();

function validatorOf(schema: JsonSchema): Validator {
  // Made for a copy, since it marks all parts of a schema as it reads them.
  const validator = validators.get(schema) ?? new Validator(structuredClone(schema), '2020-12', false);
  validators.set(schema, validator);
  return validator;
}

/** Keywords that read each part of a value at most once, and match no text against a pattern. */
const PLAIN = new Set(
  (
    'type enum const title description default examples properties required additionalProperties items ' +
    'minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength minItems maxItems'
  ).split(' '),
);

/** Whether a check takes no longer than reading the value and the schema, so that nobody has to limit its time. */
function isPlainSchema(schema: Json): boolean {
  if (typeof schema === 'boolean') return true;
  if (!isJsonObject(schema) || !Object.keys(schema).every((keyword) => PLAIN.has(keyword))) return false;
  const { properties = {}, items = true, additionalProperties = true } = schema;
  return (
    isNested(properties) && [...Object.values(properties), items, additionalProperties].every(isPlainSchema)
  );
}

/** @param value the whole one that was checked */
function toFault({ instanceLocation, keyword, error }: OutputUnit, value: unknown): ValueFault {
  const place = instanceLocation.split('/').slice(1).map(fromPointer);
  const found = preview(JSON.stringify(place.reduce(memberOf, value)) ?? '');
  const [, named = ''] = DETAILS.get(keyword)?.exec(error) ?? [];
  switch (keyword) {
    case 'required':
      return { place: [...place, named], reason: 'is missing' };
    case 'false':
      return { place, reason: 'is not allowed' };
    case 'type':
      return { place, reason: `must be ${named.split('", "').map(typeInWords).join(' or ')}, not ${found}` };
    case 'enum':
      return { place, reason: `must be one of ${named}, not ${found}` };
    default:
      return { place, reason: `is ${found}: ${error.replace(/\.$/, '')}` };
  }
}

/** The details that the validator's own words name. */
const DETAILS: ReadonlyMap<string, RegExp> = new Map([
  ['required', /"(.*)"\.$/s],
  ['type', /Expected "(.*)"\.$/],
  ['enum', /\[(.*)\]\.$/s],
]);

/** JSON Schema's names for the types of values, in words. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['string', 'text'],
  ['integer', 'a whole number'],
  ['number', 'a number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'an object'],
]);

export function typeInWords(type: string): string {
  return TYPES.get(type) ?? type;
}

const Members = v.fallback(v.record(v.string(), v.unknown()), {});

function memberOf(value: unknown, name: string): unknown {
  const members = v.parse(Members, value);
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

/** Does work that nothing else could interrupt. @throws everything that it throws, or if it takes too long */
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
