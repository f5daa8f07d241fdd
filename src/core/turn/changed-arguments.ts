import * as v from 'valibot';
import { parseJson } from '../../json.ts';
import type { ToolCall, ToolDefinition } from '../records/message.ts';
import { preview } from '../records/preview.ts';
import {
  faultsOf,
  faultText,
  MAX_FAULTS,
  typeInWords,
  type ValueFault,
} from '../tool-contracts/schema-faults.ts';

const Members = v.fallback(v.record(v.string(), v.unknown()), {});
const Typed = v.object({ type: v.string() });

/** What is wrong with an argument, in words that name it; `place` leads there from the top. */
export interface WrongArgument extends Pick<ValueFault, 'place'> {
  text: string;
}

/**
 * Which arguments with which a person approves a call are wrong, in words for the person: the argument, its value, and
 * what the tool takes.
 * @param isLenient whether the tool is built in: it makes do with much that models write and says itself what it does
 * not take, so that only what the person has changed is looked at
 */
export function wrongChanges(
  { arguments: before }: ToolCall,
  given: ToolCall['arguments'],
  { parameters }: Pick<ToolDefinition, 'parameters'>,
  isLenient: boolean,
): WrongArgument[] {
  const taken = v.parse(Members, parameters['properties']);
  // As it is kept: programs may give what JSON leaves out.
  const changed = v.parse(Members, parseJson(JSON.stringify(given)));
  const isLeft = (name: string) => !Object.hasOwn(changed, name) || (isLenient && changed[name] === null);
  const isAsItWas = (name: string) =>
    isLenient && JSON.stringify(before[name]) === JSON.stringify(changed[name]);
  const missing = (parameters.required ?? [])
    .filter((name) => isLeft(name) && !isAsItWas(name))
    .map((name) => ({
      place: [name],
      text: `argument "${name}" is missing: it must be ${wanted(taken[name])}`,
    }));
  const unknown = Object.keys(changed)
    .filter((name) => isLenient && !Object.hasOwn(taken, name) && !Object.hasOwn(before, name))
    .map((name) => ({
      place: [name],
      text: `there is no argument "${name}", only ${Object.keys(taken).join(', ')}`,
    }));
  const wrong = faultsOf(changed, parameters)
    .filter(({ place: [name] }) => name === undefined || (!isLeft(name) && !isAsItWas(name)))
    .map((fault) => ({ place: fault.place, text: faultText(fault, 'argument') }));
  return [...missing, ...unknown, ...wrong].slice(0, MAX_FAULTS);
}

function wanted(schema: unknown): string {
  return v.is(Typed, schema) ? typeInWords(schema.type) : `as in ${preview(JSON.stringify(schema ?? {}))}`;
}
