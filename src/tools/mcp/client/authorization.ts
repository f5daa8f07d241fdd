import {
  auth,
  ClientCredentialsProvider,
  discoverOAuthProtectedResourceMetadata,
  type AuthProvider,
  type OAuthClientProvider,
} from '@modelcontextprotocol/client';
import { AgentError } from '../../../errors.ts';
import { fillIn } from '../../../core/records/secrets.ts';
import { authSecrets, type ServerAuth, type ToolServer } from '../../../core/records/tool-server.ts';
import type { Login, ToolServersOptions } from '../ports.ts';
import { boundedFetch } from './http-transport.ts';
import { tokenIn, toProvider } from './login-provider.ts';

/** A server that a token is had for. */
export interface Authorized {
  server: Pick<ToolServer, 'name'>;
  url: string;
  auth: ServerAuth;
  /** Undefined where there is none. */
  clientSecret: string | undefined;
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
  return { of: { server, url, auth: how, clientSecret: sent['client_secret'] }, redact };
}

/** Gives a transport its tokens, and has them renewed. */
export async function authProviderOf(
  authorized: Authorized,
  options: ToolServersOptions,
): Promise<AuthProvider | OAuthClientProvider> {
  const { auth: how, clientSecret = '', url } = authorized;
  if (how.kind === 'oauth') return signedIn(authorized, options);
  const { clientId = '', issuer, scope } = how;
  return new ClientCredentialsProvider({
    clientId,
    clientSecret,
    clientName: 'Cadre',
    ...(scope !== undefined && { scope }),
    expectedIssuer: issuer ?? (await issuerOf(url)),
  });
}

/** The authorization server that a server names, or it itself. */
async function issuerOf(url: string): Promise<string> {
  const metadata = await discoverOAuthProtectedResourceMetadata(url, undefined, boundedFetch).catch(
    () => undefined,
  );
  return metadata?.authorization_servers?.[0] ?? new URL(url).origin;
}

/** The tokens of the person who has signed in. One process renews them, and the others take what it has got. */
function signedIn(authorized: Authorized, { logins }: ToolServersOptions): AuthProvider {
  const { url, server } = authorized;
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
    await auth(renewed.provider, { serverUrl, fetchFn: boundedFetch });
    return renewed.login();
  };
  return {
    async token() {
      const login = await logins?.read(url);
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
