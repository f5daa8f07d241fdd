import type { Context } from 'hono';
import * as v from 'valibot';
import { Problem } from './problem.ts';

/** The part of API Gateway's event that is read here; `hono/aws-lambda` hands it over beside the request. */
const Authorized = v.object({
  event: v.object({
    requestContext: v.object({ authorizer: v.object({ jwt: v.object({ claims: v.unknown() }) }) }),
  }),
});
const Claims = v.object({ sub: v.pipe(v.string(), v.nonEmpty()) });

/**
 * Whose token came with the request: a run belongs to its subject, who sees and stops it, and no other subject does.
 * Undefined for callers who signed the request as IAM principals, or who call a server of their own: they see all.
 * @throws {Problem} 403 for a token that names nobody
 */
export function subjectOf(c: Context): string | undefined {
  const given = v.safeParse(Authorized, c.env);
  if (!given.success) return undefined;
  const claims = v.safeParse(Claims, given.output.event.requestContext.authorizer.jwt.claims);
  if (claims.success) return claims.output.sub;
  throw new Problem(403, 'the token names no subject: the claim "sub" is missing');
}

const Signed = v.object({
  event: v.object({
    requestContext: v.object({ authorizer: v.object({ iam: v.object({ userArn: v.string() }) }) }),
  }),
});

/** Who calls, for the records: the subject of a token, or the ARN of who signed; undefined on a server of their own. */
export function callerOf(c: Context): string | undefined {
  const signed = v.safeParse(Signed, c.env);
  return signed.success ? signed.output.event.requestContext.authorizer.iam.userArn : subjectOf(c);
}
