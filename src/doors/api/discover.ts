import * as v from 'valibot';
import { messageOf } from '../../errors.ts';
import { Problem, type ProblemStatus } from './problem.ts';

/** A provider that is slow is not there. */
const DISCOVERY_MS = 5_000;

/**
 * Reads a provider's metadata (OpenID Connect Discovery 1.0, 3).
 * @param wanted the part of it
 * @param what it says, for people
 * @throws {Problem} if the issuer does not say that
 */
export async function discover<Metadata>(
  issuer: string,
  wanted: v.GenericSchema<unknown, Metadata>,
  what: string,
  status: ProblemStatus,
): Promise<Metadata> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  try {
    const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(DISCOVERY_MS) });
    if (!response.ok) throw new Error(`it answers ${response.status}`);
    const said: unknown = await response.json();
    const named = v.parse(v.object({ issuer: v.string() }), said).issuer;
    if (named !== issuer) throw new Error(`it is the issuer ${named}`);
    return v.parse(wanted, said);
  } catch (thrown) {
    throw new Problem(status, `cannot learn from ${url} ${what}: ${messageOf(thrown)}`);
  }
}
