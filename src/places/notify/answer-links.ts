import { createHash, randomBytes } from 'node:crypto';
import { callName, parseCallName, type CallKey } from '../../core/records/call.ts';
import type { RunStore } from '../../core/records/ports.ts';

/** 256 bits, as Base64 for URLs has them. */
const TOKEN = /^[\w-]{43}$/;

/**
 * Makes the secret part of an address at which one question can be answered. Only its hash is stored, so nobody who
 * reads the store can answer with it. It is valid until the question has ended.
 */
export async function createAnswerLink(question: CallKey, store: Pick<RunStore, 'bind'>): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await store.bind(keyOf(token), { run: question.run, digest: callName(question) });
  return token;
}

/** The question of an address; undefined if the address was never given to anybody. */
export async function questionBehind(
  token: string,
  store: Pick<RunStore, 'bound'>,
): Promise<CallKey | undefined> {
  if (!TOKEN.test(token)) return undefined;
  const bound = await store.bound(keyOf(token));
  const at = bound && parseCallName(bound.digest);
  return at && { run: bound.run, ...at };
}

function keyOf(token: string): string {
  return `answer link ${createHash('sha256').update(token).digest('hex')}`;
}
