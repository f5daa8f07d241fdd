import { createHash } from 'node:crypto';

/** Whom memories and files of an agent belong to: all of its callers, or each owner of a run for themselves. */
export const OWNERSHIPS = ['agent', 'person'] as const;
export type Ownership = (typeof OWNERSHIPS)[number];

/**
 * The name under which something of an owner is kept. It tells nothing about the person, and is no path.
 * @param issuer of the tokens that name owners; "" where nothing says which
 * @param owner the subject of a token, as in `Run`
 */
export function ownerKey(issuer: string, owner: string): string {
  return createHash('sha256')
    .update(JSON.stringify([issuer, owner]))
    .digest('hex');
}

/**
 * Whom something belongs to, where its agent's file does not say.
 * @param issuer undefined where the API takes no tokens, so that callers are not told apart
 */
export function usualOwnership(issuer: string | undefined): Ownership {
  return issuer === undefined ? 'agent' : 'person';
}
