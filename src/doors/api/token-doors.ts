import { Hono } from 'hono/tiny';
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import * as v from 'valibot';
import type { DoorTokens } from '../../places/aws/variables.ts';
import { messageOf } from '../../errors.ts';
import { OPENAI_PATH } from './door-paths.ts';
import { discover } from './discover.ts';
import { Problem, toResponse } from './problem.ts';
import type { ApiContext } from './context.ts';
import { answerFault } from './fault.ts';
import { noSniffing } from './no-sniffing.ts';
import { scopesIn } from './subject.ts';

const texts = v.pipe(v.array(v.string()), v.readonly());
const Tokens = v.object({
  issuer: v.string(),
  audience: texts,
  scopes: v.optional(texts),
  answerScopes: texts,
}) satisfies v.GenericSchema<DoorTokens>;

/** @param written JSON: what the doors require of tokens, since no service in front of them checks any */
export function parseTokens(written: string): DoorTokens {
  return v.parse(v.pipe(v.string(), v.parseJson(), Tokens), written);
}

/** Clients of MCP learn here where people sign in (RFC 9728); below it, for one of the doors. */
const RESOURCE_PATH = '/.well-known/oauth-protected-resource';

/** The same checks as API Gateway's authorizer, so that a token is good for the API and the doors, or for neither. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512'];

/** Errors about the issuer's keys; all others are about a token. */
const OF_KEYS: ReadonlySet<string> = new Set(['ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID', 'ERR_JWKS_TIMEOUT']);

/** Doors that require a token for every request, and pass on its claims, both as API Gateway's authorizer does. */
export function takingTokens(doors: Hono, tokens: DoorTokens, context: ApiContext): Hono {
  const { issuer, scopes } = tokens;
  const guarded = new Hono();
  guarded.onError((thrown, c) => answerFault(thrown, c, context));
  guarded.use(noSniffing);
  let known: JWTVerifyGetKey | undefined;
  const keys = async () => (known ??= await keysOf(issuer));
  guarded.get(`${RESOURCE_PATH}/*`, (c) =>
    c.json({
      resource: `${new URL(c.req.url).origin}${c.req.path.slice(RESOURCE_PATH.length)}`,
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
      ...(scopes !== undefined && { scopes_supported: scopes }),
    }),
  );
  guarded.all('*', async (c) => {
    const { path, url } = c.req;
    try {
      const claims = await claimsOf(c.req.header('authorization'), keys, tokens);
      return await doors.fetch(c.req.raw, authorized(c.env, claims));
    } catch (thrown) {
      if (!(thrown instanceof Problem)) throw thrown;
      const metadata = new URL(`${RESOURCE_PATH}${path}`, url).href;
      const fault = thrown.status === 403 ? 'error="insufficient_scope", ' : '';
      const headers = { 'www-authenticate': `Bearer ${fault}resource_metadata="${metadata}"` };
      if (!path.startsWith(OPENAI_PATH)) return toResponse(thrown, { headers });
      const { ofProblem, toErrorResponse } = await import('./openai/error.ts');
      return toErrorResponse(thrown.status, ofProblem(thrown), headers);
    }
  });
  return guarded;
}

/** @throws {Problem} 503 if the issuer does not say by which keys its tokens are signed */
async function keysOf(issuer: string): Promise<JWTVerifyGetKey> {
  const [{ createRemoteJWKSet }, { jwks_uri: url }] = await Promise.all([
    import('jose'),
    discover(issuer, v.object({ jwks_uri: v.pipe(v.string(), v.url()) }), 'which keys sign its tokens', 503),
  ]);
  return createRemoteJWKSet(new URL(url));
}

/**
 * The claims of a valid token.
 * @throws {Problem} 401 for any other; 403 for one that lacks the scopes; 503 if the issuer's keys cannot be read
 */
async function claimsOf(
  header: string | undefined,
  keys: () => Promise<JWTVerifyGetKey>,
  { issuer, audience, scopes }: DoorTokens,
): Promise<Record<string, string>> {
  const token = /^bearer +(\S+)$/i.exec(header ?? '')?.[1];
  if (token === undefined)
    throw new Problem(401, 'send a token of the issuer: authorization: Bearer <token>');
  const { jwtVerify, errors } = await import('jose');
  const getKey = await keys();
  let payload: JWTPayload;
  try {
    ({ payload } = await jwtVerify(token, getKey, {
      issuer,
      algorithms: ALGORITHMS,
      requiredClaims: ['exp'],
    }));
  } catch (thrown) {
    if (thrown instanceof errors.JOSEError && !OF_KEYS.has(thrown.code)) {
      throw new Problem(401, `the token is refused: ${messageOf(thrown)}`);
    }
    throw new Problem(503, `the keys of ${issuer} cannot be read: ${messageOf(thrown)}`);
  }
  const meant = payload.aud === undefined ? payload['client_id'] : payload.aud;
  if (![meant].flat().some((each) => typeof each === 'string' && audience.includes(each))) {
    throw new Problem(401, 'the token is refused: it is meant for another audience');
  }
  const claims = Object.fromEntries(
    Object.entries(payload).flatMap(([name, value]) => (value === null ? [] : [[name, textOf(value)]])),
  );
  const given = scopesIn(claims);
  if (scopes !== undefined && !scopes.some((scope) => given.includes(scope))) {
    throw new Problem(403, `the token has none of the scopes ${scopes.join(', ')}`);
  }
  return claims;
}

/** As API Gateway hands it over: of a list, it makes a text in brackets. */
function textOf(claim: unknown): string {
  if (Array.isArray(claim)) return `[${claim.join(' ')}]`;
  return typeof claim === 'string' ? claim : JSON.stringify(claim);
}

const Bound = v.looseObject({
  event: v.optional(v.looseObject({ requestContext: v.optional(v.looseObject({}), {}) }), {}),
});

/** What a request is handled with, as if API Gateway had authorized it. */
function authorized(env: unknown, claims: Record<string, string>): object {
  const bound = v.parse(Bound, env ?? {});
  const requestContext = { ...bound.event.requestContext, authorizer: { jwt: { claims, scopes: null } } };
  return { ...bound, event: { ...bound.event, requestContext } };
}
