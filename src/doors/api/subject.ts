import type { Context } from 'hono';
import * as v from 'valibot';
import type { Run } from '../../core/records/run.ts';
import { Problem } from './problem.ts';

/** The part of API Gateway's event that is read here; `hono/aws-lambda` hands it over beside the request. */
const Authorized = v.object({
  event: v.object({
    requestContext: v.object({ authorizer: v.object({ jwt: v.object({ claims: v.unknown() }) }) }),
  }),
});
const Claims = v.object({ sub: v.pipe(v.string(), v.nonEmpty()) });

/**
 * The subject of the request's token: a run belongs to its subject, who sees and stops it, and no other subject does.
 * Undefined for callers who signed the request as IAM principals, or who call a server of their own: they see all.
 * @throws {Problem} 403 for a token without a subject
 */
export function subjectOf(c: Context): string | undefined {
  const given = v.safeParse(Authorized, c.env);
  if (!given.success) return undefined;
  const claims = v.safeParse(Claims, given.output.event.requestContext.authorizer.jwt.claims);
  if (claims.success) return claims.output.sub;
  throw new Problem(403, 'the token names no subject: the claim "sub" is missing');
}

/** The client of a run, who ends it by leaving, for the records. */
export function clientOf({ owner = 'its client' }: Pick<Run, 'owner'>): string {
  return owner;
}

const Signed = v.object({
  event: v.object({
    requestContext: v.object({ authorizer: v.object({ iam: v.object({ userArn: v.string() }) }) }),
  }),
});

/**
 * The caller, for the records: the subject of a token, or the ARN of the signer; undefined on a server of their own.
 */
export function callerOf(c: Context): string | undefined {
  const signed = v.safeParse(Signed, c.env);
  return signed.success ? signed.output.event.requestContext.authorizer.iam.userArn : subjectOf(c);
}
