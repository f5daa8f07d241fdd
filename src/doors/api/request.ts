import type { Context } from 'hono';
import * as v from 'valibot';
import { keysOf, nearestKey } from '../../known-keys.ts';
import { notAList } from '../../not-a-list.ts';
import { badField, Problem } from './problem.ts';

/** The body as JSON that the schema accepts; an empty body counts as `{}`. @throws {Problem} 400 or 415 */
export async function parseBody<Output>(
  c: Context,
  schema: v.GenericSchema<unknown, Output>,
): Promise<Output> {
  const bytes = await c.req.arrayBuffer();
  if (bytes.byteLength === 0) return check(schema, {});
  const type = c.req.header('content-type') ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new Problem(415, `the body must be application/json, not ${JSON.stringify(type)}`);
  }
  let body: unknown;
  try {
    body = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new Problem(400, 'the body must be JSON in UTF-8');
  }
  return check(schema, body);
}

/** The parameters that are numbers; a text may consist of digits, too. */
const NUMBERS = ['limit', 'wait', 'from_turn', 'to_turn', 'max_characters', 'max_call_characters'];

/** The parameters that may be repeated. */
const LISTS = ['tag'];

/**
 * The parameters of the query.
 * @throws {Problem} 400, for one that the route does not take, too
 */
export function parseQuery<Output>(c: Context, schema: v.GenericSchema<unknown, Output>): Output {
  // A signature may be in the query (Signature Version 4), and is read before the request comes here.
  const sent = Object.entries(c.req.query()).filter(([key]) => !/^x-amz-/i.test(key));
  const given: Record<string, unknown> = Object.fromEntries(sent);
  for (const key of NUMBERS) if (/^\d{1,15}$/.test(String(given[key]))) given[key] = Number(given[key]);
  for (const key of LISTS) if (given[key] !== undefined) given[key] = c.req.queries(key);
  return check(schema, given);
}

/** @throws {Problem} 400 */
export function parseHeaders<Output>(c: Context, schema: v.GenericSchema<unknown, Output>): Output {
  return check(schema, c.req.header());
}

export function wholeNumber(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`;
  return v.pipe(v.number(message), v.integer(message), v.minValue(min, message), v.maxValue(max, message));
}

/** An object with only these keys. Another key is refused, with the known key that is spelled most like it. */
export function only<Entries extends v.ObjectEntries>(entries: Entries) {
  return notAList(
    v.strictObject(entries, (issue) => {
      if (issue.received === 'undefined') return 'is missing';
      if (issue.expected !== 'never') return 'must be a JSON object';
      const key = String(issue.path?.[0]?.key);
      return `is not known; ${nearestKey([key], keysOf({ entries }))}`;
    }),
  );
}

/** The fault of an object with known keys. */
export function oddKeys({ expected, received }: v.BaseIssue<unknown>): string {
  if (expected === 'never') return 'is not known';
  return received === 'undefined' ? 'is missing' : 'must be an object';
}

/** @throws {Problem} 400 */
export function check<Output>(schema: v.GenericSchema<unknown, Output>, input: unknown): Output {
  // One fault of each field is enough: what breaks one rule often breaks the next.
  const result = v.safeParse(schema, input, { abortPipeEarly: true });
  if (result.success) return result.output;
  const errors = result.issues.map((issue) => ({
    field: v.getDotPath(issue) ?? 'body',
    detail: issue.message,
  }));
  const [first] = errors;
  if (first === undefined || errors.length === 1) throw badField(first?.field ?? 'body', first?.detail ?? '');
  throw new Problem(400, errors.map(({ field, detail }) => `${field} ${detail}`).join('; '), errors);
}
