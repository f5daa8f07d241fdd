import {
  auth,
  ClientCredentialsProvider,
  discoverOAuthProtectedResourceMetadata,
  type AuthProvider,
} from '@modelcontextprotocol/client';
import { defined } from '../../../defined.ts';
import { AgentError } from '../../../errors.ts';
import { fillIn, withoutSecrets } from '../../../core/records/secrets.ts';
import { authSecrets, type ServerAuth, type ToolServer } from '../../../core/records/tool-server.ts';
import type { Login, ToolServersOptions } from '../ports.ts';
import { boundedFetch } from './http-transport.ts';
import { secretsIn, tokenIn, toProvider } from './login-provider.ts';

/** A server that a token is had for. */
export interface Authorized {
  server: Pick<ToolServer, 'name'>;
  url: string;
  auth: ServerAuth;
  /** Undefined where there is none. */
  clientSecret: string | undefined;
  /** The secrets that were had on the way, which the server or its authorization server may repeat. */
  told: Set<string>;
}

/** What a token for a server is had with; undefined where it takes none. @throws {ConfigError} for a missing secret */
export async function authorizedBy(
  server: ToolServer,
  options: ToolServersOptions,
): Promise<{ of: Authorized; redact: (text: string) => string } | undefined> {
  const { reach } = server;
  if (reach.kind !== 'url' || reach.auth === undefined) return undefined;
  const { sent, redact } = await fillIn(authSecrets(server), `server "${server.name}"`, options);
  const { url, auth: how } = reach;
  const told = new Set<string>();
  return {
    of: { server, url, auth: how, clientSecret: sent['client_secret'], told },
    redact: (text) => redact(withoutSecrets(text, told)),
  };
}

/** Gives a transport its tokens, and has them renewed. */
export function authProviderOf(authorized: Authorized, options: ToolServersOptions): AuthProvider {
  return authorized.auth.kind === 'oauth' ? signedIn(authorized, options) : knownByItself(authorized);
}

/** How long getting a token may take, with all that has to be found out first: shorter than a lock of it is kept. */
const TOKEN_MS = 30_000;

/** Asks authorization servers, without the headers that are for the server. No redirect takes a secret elsewhere. */
export function authFetch(): typeof boundedFetch {
  const signal = AbortSignal.timeout(TOKEN_MS);
  return (url, init) => boundedFetch(url, { ...init, signal, redirect: init?.body ? 'manual' : 'follow' });
}

/** The token of a client that is known by itself, for as long as this process is there. */
function knownByItself({ auth: how, clientSecret = '', url, told }: Authorized): AuthProvider {
  const { clientId = '', issuer, scope } = how;
  let token: string | undefined;
  return {
    token: async () => token,
    async onUnauthorized({ serverUrl }) {
      const fetchFn = authFetch();
      const provider = new ClientCredentialsProvider({
        clientId,
        clientSecret,
        clientName: 'Cadre',
        ...defined({ scope }),
        expectedIssuer: issuer ?? (await issuerOf(url, fetchFn)),
      });
      await auth(provider, { serverUrl, fetchFn });
      token = provider.tokens()?.access_token;
      if (token !== undefined) told.add(token);
    },
  };
}

/** The authorization server that a server names, or it itself. */
async function issuerOf(url: string, fetchFn: typeof boundedFetch): Promise<string> {
  const metadata = await discoverOAuthProtectedResourceMetadata(url, undefined, fetchFn).catch(
    () => undefined,
  );
  return metadata?.authorization_servers?.[0] ?? new URL(url).origin;
}

/** The tokens of the person who has signed in. One process renews them, and the others take what it has got. */
function signedIn(authorized: Authorized, { logins }: ToolServersOptions): AuthProvider {
  const { url, server, told } = authorized;
  let used: string | undefined;
  const renew = async (login: Login | undefined, serverUrl: URL): Promise<Login | undefined> => {
    // Another process has renewed it meanwhile.
    if (login !== undefined && tokenIn(login) !== used) return undefined;
    if (login === undefined) throw notSignedIn(server.name);
    const renewed = toProvider(login, authorized, {
      redirectUrl: NOWHERE,
      redirect: () => {
        throw notSignedIn(server.name);
      },
    });
    await auth(renewed.provider, { serverUrl, fetchFn: authFetch() });
    return renewed.login();
  };
  return {
    async token() {
      const login = await logins?.read(url);
      if (login !== undefined) secretsIn(login).forEach((secret) => told.add(secret));
      used = login && tokenIn(login);
      return used;
    },
    async onUnauthorized({ serverUrl }) {
      if (logins === undefined) throw notSignedIn(server.name);
      await logins.update(url, (login) => renew(login, serverUrl));
    },
  };
}

/** A token is renewed without anybody who would come back. */
const NOWHERE = 'http://127.0.0.1/oauth/callback';

function notSignedIn(name: string): AgentError {
  return new AgentError(`somebody has to sign in to server "${name}": cadre mcp login <agent> ${name}`);
}
