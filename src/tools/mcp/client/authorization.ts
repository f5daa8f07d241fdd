import {
  auth,
  AuthorizationServerMismatchError,
  ClientCredentialsProvider,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  type AuthProvider,
} from '@modelcontextprotocol/client';
import { defined } from '../../../defined.ts';
import { AgentError } from '../../../errors.ts';
import { fillIn, withoutSecrets, type Secrets } from '../../../core/records/secrets.ts';
import { authSecrets, type ServerAuth, type ToolServer } from '../../../core/records/tool-server.ts';
import type { Login, Logins } from '../ports.ts';
import { authFetch } from './auth-fetch.ts';
import { canRenew, secretsIn, tokenIn, toRenewal } from './login-provider.ts';

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

/** Gives a transport its tokens, and has them renewed. */
export interface TokenProvider extends AuthProvider {
  /** The tokens let their bearer do too little. @returns what to do about it, in words */
  lacks(scope: string | undefined): Promise<AgentError>;
}

/** What a token for a server is had with; undefined where it takes none. @throws {ConfigError} for a missing secret */
export async function authorizedBy(
  server: ToolServer,
  secrets: Secrets,
): Promise<{ of: Authorized; redact: (text: string) => string } | undefined> {
  const { reach } = server;
  if (reach.kind !== 'url' || reach.auth === undefined) return undefined;
  const { sent, redact } = await fillIn(authSecrets(server), `server "${server.name}"`, secrets);
  const { url, auth: how } = reach;
  const told = new Set<string>();
  return {
    of: { server, url, auth: how, clientSecret: sent['client_secret'], told },
    redact: (text) => redact(withoutSecrets(text, told)),
  };
}

/** @param logins of whoever the server is asked for; undefined: nobody signs in here */
export function tokensOf(authorized: Authorized, logins: Logins | undefined): TokenProvider {
  if (authorized.auth.kind === 'client_credentials') return knownByItself(authorized);
  if (logins !== undefined) return signedIn(authorized, logins);
  const refuse = async () => {
    throw new AgentError(`server "${authorized.server.name}" takes a sign-in, and nobody can sign in here`);
  };
  return { token: refuse, lacks: refuse };
}

/** The token of a client that is known by itself, for as long as this process is there. */
function knownByItself(authorized: Authorized): TokenProvider {
  const { auth: how, clientSecret = '', url, told, server } = authorized;
  const { clientId = '', issuer, scope } = how;
  told.add(clientSecret);
  let token: string | undefined;
  return {
    token: async () => token,
    async onUnauthorized({ serverUrl, response }) {
      const fetchFn = authFetch(authorized);
      const { resourceMetadataUrl } = extractWWWAuthenticateParams(response);
      const provider = new ClientCredentialsProvider({
        clientId,
        clientSecret,
        clientName: 'Cadre',
        ...defined({ scope }),
        expectedIssuer: issuer ?? (await issuerOf(url, resourceMetadataUrl, fetchFn)),
      });
      await auth(provider, { serverUrl, fetchFn, ...defined({ resourceMetadataUrl, scope }) });
      token = provider.tokens()?.access_token;
      if (token !== undefined) told.add(token);
    },
    lacks: async (wanted = '') =>
      new AgentError(`server "${server.name}" wants the scopes "${wanted}": name them under scopes`),
  };
}

/** The authorization server that a server names, or it itself. */
async function issuerOf(
  url: string,
  resourceMetadataUrl: URL | undefined,
  fetchFn: ReturnType<typeof authFetch>,
): Promise<string> {
  const metadata = await discoverOAuthProtectedResourceMetadata(
    url,
    defined({ resourceMetadataUrl }),
    fetchFn,
  ).catch(() => undefined);
  return metadata?.authorization_servers?.[0] ?? new URL(url).origin;
}

/** The tokens of a person who has signed in. One process renews them, and the others take what it has got. */
function signedIn(authorized: Authorized, logins: Logins): TokenProvider {
  const { url, server, told } = authorized;
  const notSignedIn = (why = 'takes a sign-in') =>
    new AgentError(`server "${server.name}" ${why}: ${logins.howTo(server.name)}`);
  let used: string | undefined;

  return {
    async token() {
      const login = await logins.read(url);
      if (login !== undefined) secretsIn(login).forEach((secret) => told.add(secret));
      used = login && tokenIn(login);
      return used;
    },
    async onUnauthorized({ serverUrl, response }) {
      const { resourceMetadataUrl } = extractWWWAuthenticateParams(response);
      const asked = { serverUrl, fetchFn: authFetch(authorized), ...defined({ resourceMetadataUrl }) };
      let ended: AgentError | undefined;
      await logins.update(url, async (login): Promise<Login | undefined> => {
        if (login === undefined || tokenIn(login) === undefined) throw notSignedIn();
        // Another process has renewed it meanwhile.
        if (tokenIn(login) !== used) return undefined;
        const renewal = toRenewal(login, authorized, () => {
          // It has been asked, and has failed in another way than to refuse them.
          throw canRenew(renewal.login) ? notNow(server.name) : notSignedIn(AGAIN);
        });
        try {
          await auth(renewal.provider, asked);
        } catch (thrown) {
          // The server names another now, which gets nothing that was the former's.
          if (thrown instanceof AuthorizationServerMismatchError) throw notSignedIn(AGAIN);
          if (tokenIn(renewal.login) !== undefined) throw thrown;
          // The authorization server knows it no more, and would not with the next attempt.
          ended = notSignedIn(AGAIN);
        }
        return renewal.login;
      });
      if (ended !== undefined) throw ended;
    },
    async lacks(scope) {
      await logins.update(url, async (login) => login && { ...login, ...defined({ lacks: scope }) });
      return notSignedIn(scope === undefined ? 'wants more scopes' : `wants the scopes "${scope}"`);
    },
  };
}

const AGAIN = 'wants its sign-in once more';

function notNow(server: string): AgentError {
  return new AgentError(
    `the authorization server of server "${server}" gives no tokens now: try again later`,
  );
}
