import * as v from 'valibot';
import { parseJson } from '../json.ts';
import type { ToolCall, ToolDefinition } from '../runs/message.ts';
import { preview } from '../runs/preview.ts';
import { faultsOf, MAX_FAULTS, type ValueFault } from '../tools/schema-faults.ts';

/** What JSON Schema calls the types of values, in words. */
const WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

const Members = v.fallback(v.record(v.string(), v.unknown()), {});
const Typed = v.object({ type: v.string() });

/**
 * Which arguments with which a person approves a call are wrong, in words for the person: the argument, its value, and
 * what the tool takes.
 * @param isLenient whether the tool is built in: it makes do with much that models write and says itself what it does
 * not take, so that only what the person has changed is looked at
 */
export async function wrongChanges(
  { arguments: before }: ToolCall,
  given: ToolCall['arguments'],
  { parameters }: Pick<ToolDefinition, 'parameters'>,
  isLenient: boolean,
): Promise<string[]> {
  const taken = v.parse(Members, parameters['properties']);
  // As it is kept: programs may give what JSON leaves out.
  const changed = v.parse(Members, parseJson(JSON.stringify(given)));
  const isLeft = (name: string) => !Object.hasOwn(changed, name) || (isLenient && changed[name] === null);
  const isAsItWas = (name: string) =>
    isLenient && JSON.stringify(before[name]) === JSON.stringify(changed[name]);
  const missing = (parameters.required ?? [])
    .filter((name) => isLeft(name) && !isAsItWas(name))
    .map((name) => `argument "${name}" is missing: it must be ${wanted(taken[name])}`);
  const unknown = Object.keys(changed)
    .filter((name) => isLenient && !Object.hasOwn(taken, name) && !Object.hasOwn(before, name))
    .map((name) => `there is no argument "${name}", only ${Object.keys(taken).join(', ')}`);
  const wrong = (await faultsOf(changed, parameters))
    .filter(({ place: [name], keyword }) =>
      name === undefined ? keyword !== 'required' : !isLeft(name) && !isAsItWas(name),
    )
    .map((fault) => faultText(fault, changed, taken));
  return [...missing, ...unknown, ...wrong].slice(0, MAX_FAULTS);
}

function faultText({ place, keyword, reason }: ValueFault, changed: unknown, taken: Members): string {
  const [name = '', ...further] = place;
  if (name === '') return reason;
  const value = preview(JSON.stringify(place.reduce(memberOf, changed)));
  return keyword === 'type' && further.length === 0
    ? `argument "${name}" must be ${wanted(taken[name])}, not ${value}`
    : `argument "${place.join('.')}" is ${value}: ${reason}`;
}

type Members = v.InferOutput<typeof Members>;

function wanted(schema: unknown): string {
  const { type } = v.is(Typed, schema) ? schema : { type: '' };
  return WORDS[type] ?? `as in ${preview(JSON.stringify(schema ?? {}))}`;
}

function memberOf(value: unknown, name: string): unknown {
  const members = v.parse(Members, value);
  return Object.hasOwn(members, name) ? members[name] : undefined;
}
