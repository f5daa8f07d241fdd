import { Buffer } from 'node:buffer';
import * as v from 'valibot';
import { messageOf } from '../../errors.ts';
import type { Json } from '../../json.ts';
import { StatesApiError } from '../executions/errors.ts';
import { MAX_DATA_BYTES, parseJson } from '../expressions/json-value.ts';
import type { StateMachines } from '../state-machines.ts';

/** The service's words for what a member of a request must be. */
export const text = v.string('Member must be a string');
const atMost = (characters: number) =>
  v.maxLength<string, number, string>(
    characters,
    `Member must have length less than or equal to ${characters}`,
  );
const oneOf = <const T extends readonly string[]>(values: T) =>
  v.picklist(values, `Member must satisfy enum value set: [${values.join(', ')}]`);
export const flag = v.boolean('Member must be a boolean');
const maxResults = v.optional(
  v.pipe(
    v.number('Member must be an integer'),
    v.integer('Member must be an integer'),
    v.minValue(0, 'Member must have value greater than or equal to 0'),
    v.maxValue(1000, 'Member must have value less than or equal to 1000'),
  ),
  100,
);
export const page = { maxResults, nextToken: v.optional(text) };
export const includedData = v.optional(oneOf(['ALL_DATA', 'METADATA_ONLY']), 'ALL_DATA');
/** JSON text of at most 256 KiB. */
export const data = v.pipe(
  text,
  v.maxBytes(MAX_DATA_BYTES, `Member must have length less than or equal to ${MAX_DATA_BYTES}`),
);
export const error = v.optional(v.pipe(text, atMost(256)));
export const cause = v.optional(v.pipe(text, atMost(32_768)));
export const status = oneOf(['RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED', 'PENDING_REDRIVE']);

export type StatesOperation = (machines: StateMachines, body: unknown) => unknown;

/** An operation that reads its request by a schema; members that it does not know are ignored, as by the service. */
export function operation<S extends v.ObjectSchema<v.ObjectEntries, undefined>>(
  schema: S,
  run: (machines: StateMachines, request: v.InferOutput<S>) => unknown,
): StatesOperation {
  return (machines, body) => {
    const parsed = v.safeParse(schema, body);
    if (parsed.success) return run(machines, parsed.output);
    const faults = parsed.issues.map(
      (issue) => `Value at '${v.getDotPath(issue)}' failed to satisfy constraint: ${constraintOf(issue)}`,
    );
    const count = `${faults.length} validation error${faults.length === 1 ? '' : 's'} detected`;
    throw new StatesApiError('ValidationException', `${count}: ${faults.join('; ')}`);
  };
}

/** The schema of an object itself reports only that a member is missing. */
function constraintOf({ type, message }: v.BaseIssue<unknown>): string {
  return type === 'object' ? 'Member must not be null' : message;
}

/** @throws StatesApiError of the name for a body that is no JSON */
export function parse(source: string, errorName: StatesApiError['name'], message: string): Json {
  try {
    return parseJson(source);
  } catch (thrown) {
    throw new StatesApiError(errorName, `${message}: '${messageOf(thrown)}'`);
  }
}

/** How many entries a page has where the request does not say. */
const DEFAULT_PAGE = 100;

/**
 * Cuts a page out of a list.
 * @param slice gives a part of the list, which may end before `end`
 * @param request.maxResults 0 stands for the default
 * @param request.nextToken what the page before gave
 * @throws StatesApiError InvalidToken
 */
export function paginate<T>(
  slice: (start: number, end: number) => T[],
  { maxResults, nextToken }: { maxResults: number; nextToken?: string | undefined },
): { items: T[]; nextToken?: string } {
  const start = nextToken === undefined ? 0 : readToken(nextToken);
  const end = start + (maxResults || DEFAULT_PAGE);
  const items = slice(start, end + 1);
  if (items.length <= end - start) return { items };
  return { items: items.slice(0, -1), nextToken: writeToken(end) };
}

function writeToken(position: number): string {
  return Buffer.from(JSON.stringify({ position })).toString('base64url');
}

function readToken(token: string): number {
  const position = /^\{"position":(\d+)\}$/.exec(Buffer.from(token, 'base64url').toString())?.[1];
  if (position === undefined) {
    throw new StatesApiError('InvalidToken', `Invalid Token: '${token.slice(0, 100)}'`);
  }
  return Number(position);
}
