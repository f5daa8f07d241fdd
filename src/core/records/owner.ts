import { createHash } from 'node:crypto';
import { defined } from '../../defined.ts';
import type { Run } from './run.ts';

/** Who owns the memories and files of an agent: all of its callers together, or each owner of a run. */
export const OWNERSHIPS = ['agent', 'person'] as const;
export type Ownership = (typeof OWNERSHIPS)[number];

/** A person, as tokens name them. */
export interface Person {
  /** The subject. */
  owner: string;
  /** Undefined where nothing says which. */
  issuer?: string | undefined;
}

/** The part of a record that says whose it is; neither: the account's. */
export type Owned = Pick<Run, 'issuer' | 'owner'>;

/** That part of a record, for another of the same owner. */
export function ownerOf({ owner, issuer }: Partial<Person>): Owned {
  return defined({ owner, issuer });
}

/** Whether a record belongs to a person. If an earlier release wrote it, it has no issuer: the subject decides. */
export function belongsTo({ owner, issuer }: Owned, person: Person): boolean {
  return owner === person.owner && (issuer ?? person.issuer) === (person.issuer ?? issuer);
}

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

/** The key of whom a record belongs to, or something of a person; undefined: the account. */
export function ownerKeyOf({
  owner,
  issuer = '',
}: {
  owner?: string | undefined;
  issuer?: string | undefined;
}): string | undefined {
  return owner === undefined ? undefined : ownerKey(issuer, owner);
}

/**
 * The default owner, if the agent's file does not say.
 * @param issuer undefined if the API takes no tokens, so that callers are not told apart
 */
export function usualOwnership(issuer: string | undefined): Ownership {
  return issuer === undefined ? 'agent' : 'person';
}
