import { createHash } from 'node:crypto';
import type { ApiContext } from './context.ts';

/**
 * The longest part of an answer, as JSON. Lambda's answers end at 6 MB (quota "Invocation payload"), in which this
 * JSON is a string again, so that each of its backslashes and quotes counts twice.
 */
const MAX_INLINE_BYTES = 1024 ** 2;

/** An address for a text that would make an answer too long: a text as it is, anything else as JSON. */
export async function linkIfLarge(value: unknown, name: string, context: ApiContext) {
  const json = JSON.stringify(value);
  if (Buffer.byteLength(json) <= MAX_INLINE_BYTES) return undefined;
  const text = typeof value === 'string' ? value : json;
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 32);
  const { url, expiresAt } = await context.environment.publish(`answers/${name}/${digest}`, text);
  return { url, bytes: Buffer.byteLength(text), expires_at: new Date(expiresAt).toISOString() };
}
