import type { Context } from 'hono';
import * as v from 'valibot';
import type { Run } from '../../core/records/run.ts';
import type { WatchContext, TokenBearer } from './context.ts';
import { Problem } from './problem.ts';
import { belongsTo, type Owned, type Person } from '../../core/records/owner.ts';

/** The part of API Gateway's event that is read here; `hono/aws-lambda` hands it over beside the request. */
const Authorized = v.object({
  event: v.object({
    requestContext: v.object({ authorizer: v.object({ jwt: v.object({ claims: v.unknown() }) }) }),
  }),
});
/** Issuers differ in where they name scopes. API Gateway turns a list into a text in brackets. */
const Claims = v.object({
  sub: v.pipe(v.string(), v.nonEmpty()),
  scope: v.optional(v.string(), ''),
  scp: v.optional(v.string(), ''),
});

/**
 * The context for one request, with its caller. A run belongs to the subject of the token that it was started with:
 * that subject and administrators see and steer it, and nobody else. Callers who signed the request as IAM principals,
 * or who call a server of their own, see all; their context is the same.
 * @throws {Problem} 403 for a token without a subject
 */
export function forCaller<T extends WatchContext>(c: Context, context: T): T {
  const caller = callerIn(c, context);
  return caller === undefined ? context : { ...context, caller };
}

/** The scopes of a token, however its issuer writes them. */
export function scopesIn({ scope = '', scp = '' }: { scope?: string; scp?: string }): string[] {
  return `${scope} ${scp}`.split(/[\s[\],]+/);
}

function callerIn(c: Context, context: WatchContext): TokenBearer | undefined {
  const given = v.safeParse(Authorized, c.env);
  if (!given.success) return undefined;
  const claims = v.safeParse(Claims, given.output.event.requestContext.authorizer.jwt.claims);
  if (!claims.success) throw new Problem(403, 'the token names no subject: the claim "sub" is missing');
  const { adminScopes = [], answerScopes, issuer } = context;
  const scopes = scopesIn(claims.output);
  const hasOne = (wanted: readonly string[]) => wanted.some((scope) => scopes.includes(scope));
  return {
    owner: claims.output.sub,
    issuer,
    isAdministrator: hasOne(adminScopes),
    mayAnswer: answerScopes === undefined || hasOne(answerScopes),
  };
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

/** The caller, for the records: the subject of a token, or the signer's ARN; undefined on a server of their own. */
export function nameOfCaller(c: Context, { caller }: WatchContext): string | undefined {
  const signed = v.safeParse(Signed, c.env);
  return signed.success ? signed.output.event.requestContext.authorizer.iam.userArn : caller?.owner;
}

/** Whether the caller may answer questions of runs that it may see. */
export function mayAnswer({ caller }: Pick<WatchContext, 'caller'>): boolean {
  return caller?.mayAnswer !== false;
}

/** @throws {Problem} 403 if the caller may not answer questions */
export function assertMayAnswer(context: Pick<WatchContext, 'answerScopes' | 'caller'>): void {
  if (mayAnswer(context)) return;
  const scopes = context.answerScopes?.join(', ');
  throw new Problem(403, `answering takes a token with one of the scopes ${scopes}`);
}

/** What tells the keys of a caller from the same ones of others; nothing for the account. */
export function keyPartsOf({ caller }: Pick<WatchContext, 'caller'>): string[] {
  return caller === undefined ? [] : [caller.owner, caller.issuer ?? ''];
}

/** Whose runs the caller sees; undefined: all. */
export function ownerSeen({ caller }: Pick<WatchContext, 'caller'>): Person | undefined {
  return caller?.isAdministrator === false ? caller : undefined;
}

/** Whether the caller may see a run, or what belongs to one. */
export function maySee(it: Owned, context: Pick<WatchContext, 'caller'>): boolean {
  const seen = ownerSeen(context);
  return seen === undefined || belongsTo(it, seen);
}
