import type { OAuthClientProvider, OAuthDiscoveryState } from '@modelcontextprotocol/client';
import * as v from 'valibot';
import { defined } from '../../../defined.ts';
import type { BegunSignIn, Login } from '../ports.ts';
import type { Authorized } from './authorization.ts';

/** As the protocol's package has kept it: only what is read here is looked at. */
const Tokens = v.looseObject({
  access_token: v.string(),
  token_type: v.string(),
  refresh_token: v.optional(v.string()),
  scope: v.optional(v.string()),
  /** The authorization server that gave them, as the protocol's package notes it. */
  issuer: v.optional(v.string()),
});
const Client = v.looseObject({ client_id: v.string(), client_secret: v.optional(v.string()) });
const Discovered = v.looseObject({ authorizationServerUrl: v.string() });

/** The token of a sign-in; undefined where it has none. */
export function tokenIn({ tokens }: Login): string | undefined {
  return parsed(Tokens, tokens)?.access_token;
}

/** Whether it has what another token is had with, without the person. */
export function canRenew({ tokens }: Login): boolean {
  return parsed(Tokens, tokens)?.refresh_token !== undefined;
}

/** What it lets its bearer do, with spaces between; undefined where that was not said. */
export function scopeIn({ tokens }: Login): string | undefined {
  return parsed(Tokens, tokens)?.scope;
}

/** The tokens of a sign-in that can be revoked, the one that gives others first, and who gave them. */
export function revocableIn({ tokens }: Login): {
  issuer: string | undefined;
  tokens: { token: string; hint: string }[];
} {
  const { access_token: access, refresh_token: refresh, issuer } = parsed(Tokens, tokens) ?? {};
  const all = [
    { token: refresh, hint: 'refresh_token' },
    { token: access, hint: 'access_token' },
  ];
  return {
    issuer,
    tokens: all.flatMap(({ token, hint }) => (token === undefined ? [] : [{ token, hint }])),
  };
}

/** The client that signed in: that of the agent's file, or the one that registered itself. */
export function clientIn(
  { client }: Login,
  { auth: { clientId, issuer }, clientSecret }: Pick<Authorized, 'auth' | 'clientSecret'>,
) {
  // With its issuer it goes to no other, whichever the server names.
  if (clientId !== undefined) {
    return { client_id: clientId, ...defined({ client_secret: clientSecret, issuer }) };
  }
  return parsed(Client, client);
}

const Secret = v.object({
  access_token: v.optional(v.string()),
  refresh_token: v.optional(v.string()),
  id_token: v.optional(v.string()),
  client_secret: v.optional(v.string()),
});

/** What nobody may read of a sign-in. */
export function secretsIn({ tokens, client }: Login): string[] {
  return [tokens, client].flatMap((kept) =>
    Object.values(parsed(Secret, kept) ?? {}).filter((one) => one !== undefined),
  );
}

function parsed<Kept>(schema: v.GenericSchema<unknown, Kept>, kept: unknown): Kept | undefined {
  const result = v.safeParse(schema, kept);
  return result.success ? result.output : undefined;
}

/** A login with what the protocol's package asks of it, and changes. */
interface Held {
  provider: Omit<OAuthClientProvider, 'codeVerifier' | 'redirectToAuthorization' | 'saveCodeVerifier'>;
  login: Login;
}

function held(before: Login, authorized: Authorized, redirectUrl: string): Held {
  const {
    auth: { clientId, issuer },
    told,
  } = authorized;
  const login: Login = { ...before };
  const note = () => secretsIn(login).forEach((secret) => told.add(secret));
  note();
  return {
    login,
    provider: {
      redirectUrl,
      clientMetadata: clientMetadata(redirectUrl),
      clientInformation: () => clientIn(login, authorized),
      // Where it is given, none registers itself in its place.
      ...(clientId === undefined && {
        saveClientInformation(client: unknown) {
          login.client = client;
          note();
        },
      }),
      tokens: () => parsed(Tokens, login.tokens),
      saveTokens(tokens) {
        login.tokens = tokens;
        delete login.lacks;
        note();
      },
      // They have ended at the authorization server.
      invalidateCredentials: () => void delete login.tokens,
      saveDiscoveryState: (found) => assertIssuer(found, issuer),
    },
  };
}

/** What is said of Cadre as a client, which can keep no secret. @param redirectUrl where browsers come back to */
export function clientMetadata(redirectUrl: string) {
  return {
    client_name: 'Cadre',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
}

/** Renews the tokens of a login, without anybody who could be led anywhere. @param refuse throws where that takes a person */
export function toRenewal(
  before: Login,
  authorized: Authorized,
  refuse: () => never,
): { provider: OAuthClientProvider; login: Login } {
  // It is led nowhere, and says so only because it would be taken for a client without persons otherwise.
  const { provider, login } = held(before, authorized, 'http://127.0.0.1/oauth/callback');
  // A client that is known no more is registered with the next sign-in, and not for nobody.
  const { saveClientInformation: _, ...others } = provider;
  return {
    login,
    provider: {
      ...others,
      redirectToAuthorization: refuse,
      saveCodeVerifier: refuse,
      codeVerifier: refuse,
    },
  };
}

/**
 * A person's sign-in, which begins in one process and may end in another.
 * @param begun what is known of it, and is added to
 * @param redirect leads the person to where they sign in
 */
export function toSignIn(
  begun: BegunSignIn,
  authorized: Authorized,
  redirect: (url: URL) => void,
): { provider: OAuthClientProvider; login: Login } {
  const { provider, login } = held({ client: begun.client }, authorized, begun.redirectUrl);
  const { clientMetadataUrl } = begun;
  return {
    login,
    provider: {
      ...provider,
      ...defined({ clientMetadataUrl }),
      state: () => begun.state,
      redirectToAuthorization: redirect,
      saveCodeVerifier(verifier) {
        begun.verifier = verifier;
      },
      codeVerifier: () => begun.verifier,
      saveDiscoveryState(found) {
        assertIssuer(found, authorized.auth.issuer);
        assertPkce(found);
        begun.discovered = found;
      },
      discoveryState: () => parsed(Discovered, begun.discovered),
    },
  };
}

/** @throws {Error} where another authorization server is named than the agent's file has */
function assertIssuer(found: OAuthDiscoveryState, issuer: string | undefined): void {
  const { authorizationServerMetadata: metadata, authorizationServerUrl } = found;
  const named = metadata?.issuer ?? authorizationServerUrl;
  if (issuer === undefined || withoutSlash(named) === withoutSlash(issuer)) return;
  throw new Error(`it names the authorization server ${named}, and the agent's file ${issuer}`);
}

/** Of a code that is stolen on its way nothing comes with it. A server that does not say that it has it has it not. */
function assertPkce({ authorizationServerMetadata: metadata }: OAuthDiscoveryState): void {
  // Where there are no metadata, it is a server of the protocol's first version, which had to have it.
  if (metadata === undefined || metadata.code_challenge_methods_supported?.includes('S256')) return;
  throw new Error(`its authorization server ${metadata.issuer} does not say that it supports PKCE (S256)`);
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, '');
}
