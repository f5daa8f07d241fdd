import { randomBytes } from 'node:crypto';
import { auth, extractWWWAuthenticateParams } from '@modelcontextprotocol/client';
import { defined } from '../../../defined.ts';
import { AgentError, ConfigError } from '../../../errors.ts';
import { isOnThisMachine } from '../../../core/agent-schema/server-schema.ts';
import type { Secrets } from '../../../core/records/secrets.ts';
import type { ToolServer } from '../../../core/records/tool-server.ts';
import type { BegunSignIn, Login } from '../ports.ts';
import { authFetch } from './auth-fetch.ts';
import { authorizedBy, type Authorized } from './authorization.ts';
import { boundedFetch } from './http-transport.ts';
import { scopeIn, toSignIn } from './login-provider.ts';
import { oneLine, wordsOf } from './words.ts';

export interface Redirected extends Pick<BegunSignIn, 'clientMetadataUrl'> {
  /** Where the person's browser comes back to. */
  redirectUrl: string;
}

/** What a person comes back with, as the authorization server has put it into the address (RFC 6749, 4.1.2; RFC 9207). */
export interface CameBack {
  code?: string | undefined;
  /** The issuer that says that it is from it. */
  iss?: string | undefined;
  error?: string | undefined;
  error_description?: string | undefined;
}

const MAX_REASON = 500;

/**
 * Begins a person's sign-in to a server: with PKCE, by a client that registers itself if it has to.
 * @param login the one that there is, and that it will replace
 * @returns where the person signs in, and what is needed when they come back
 * @throws {ConfigError | AgentError} why nobody can
 */
export async function beginSignIn(
  server: ToolServer,
  secrets: Secrets,
  login: Login | undefined,
  redirected: Redirected,
): Promise<{ url: string; begun: BegunSignIn }> {
  const { of: authorized, redact } = await signedInTo(server, secrets);
  const begun: BegunSignIn = {
    ...redirected,
    state: randomBytes(32).toString('base64url'),
    verifier: '',
  };
  let leads: URL | undefined;
  const { provider, login: made } = toSignIn(begun, authorized, (url) => (leads = url));
  return inWords(server, redact, async () => {
    const challenge = await challengeOf(authorized);
    await auth(provider, {
      serverUrl: authorized.url,
      fetchFn: authFetch(authorized),
      ...defined({ resourceMetadataUrl: challenge.resourceMetadataUrl }),
      ...defined({ scope: scopeFor(authorized, challenge.scope, login) }),
    });
    if (leads === undefined) throw new Error('it leads nowhere');
    assertSafe(leads);
    begun.client = made.client;
    return { url: leads.href, begun };
  });
}

/**
 * Ends a sign-in whose person has come back.
 * @returns the login, which nobody may see
 * @throws {ConfigError | AgentError} why there is none
 */
export async function completeSignIn(
  server: ToolServer,
  secrets: Secrets,
  begun: BegunSignIn,
  { code, iss, error, error_description: description }: CameBack,
): Promise<Login> {
  if (code === undefined) {
    const reason = description ?? error ?? 'without a reason';
    throw new AgentError(`it was refused: ${oneLine(reason, MAX_REASON)}`);
  }
  const { of: authorized, redact } = await signedInTo(server, secrets);
  for (const secret of [code, begun.verifier]) authorized.told.add(secret);
  const { provider, login } = toSignIn(begun, authorized, () => {
    throw new Error('the authorization server gives no tokens for the code');
  });
  return inWords(server, redact, async () => {
    await auth(provider, {
      serverUrl: authorized.url,
      authorizationCode: code,
      fetchFn: authFetch(authorized),
      ...defined({ iss }),
    });
    return login;
  });
}

async function signedInTo(
  server: ToolServer,
  secrets: Secrets,
): Promise<NonNullable<Awaited<ReturnType<typeof authorizedBy>>>> {
  const authorized = await authorizedBy(server, secrets);
  if (authorized?.of.auth.kind === 'oauth') return authorized;
  throw new ConfigError(`server "${server.name}" has no auth = "oauth": nobody signs in to it`);
}

/** What the server says to a request without a token: where its metadata are, and which scopes it wants. */
async function challengeOf({
  url,
}: Pick<Authorized, 'url'>): Promise<ReturnType<typeof extractWWWAuthenticateParams>> {
  const response = await boundedFetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    redirect: 'manual',
    signal: AbortSignal.timeout(CHALLENGE_MS),
  });
  await response.body?.cancel();
  return response.status === 401 ? extractWWWAuthenticateParams(response) : {};
}

const CHALLENGE_MS = 15_000;

/** The file comes first, and then the server; what it has wanted since is asked for, too. */
function scopeFor(
  { auth: { scope } }: Authorized,
  wanted: string | undefined,
  login: Login = {},
): string | undefined {
  const asked = scope ?? wanted ?? (login.lacks && scopeIn(login));
  const all = [asked, login.lacks].flatMap((each) => each?.split(' ') ?? []);
  return all.length === 0 ? undefined : [...new Set(all)].join(' ');
}

/** An address comes from others: it could be a script, or lead where everybody on the way reads along. */
function assertSafe(url: URL): void {
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isOnThisMachine(url))) return;
  throw new Error(`it leads to ${url.protocol}//${url.host}, where nobody should sign in`);
}

async function inWords<T>(
  { name }: ToolServer,
  redact: (text: string) => string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw new AgentError(`cannot sign in to server "${name}": ${wordsOf(thrown, redact)}`, { cause: thrown });
  }
}
