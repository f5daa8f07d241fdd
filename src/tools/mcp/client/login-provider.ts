import { randomBytes } from 'node:crypto';
import type { OAuthClientProvider, OAuthDiscoveryState } from '@modelcontextprotocol/client';
import * as v from 'valibot';
import { defined } from '../../../defined.ts';
import type { Login } from '../ports.ts';
import type { Authorized } from './authorization.ts';

/** As the protocol's package has kept it: only what is read here is looked at. */
const Tokens = v.looseObject({ access_token: v.string(), token_type: v.string() });
const Client = v.looseObject({ client_id: v.string() });

/** The token of a sign-in; undefined where it has none. */
export function tokenIn({ tokens }: Login): string | undefined {
  const parsed = v.safeParse(Tokens, tokens);
  return parsed.success ? parsed.output.access_token : undefined;
}

const Secret = v.object({
  access_token: v.optional(v.string()),
  refresh_token: v.optional(v.string()),
  id_token: v.optional(v.string()),
  client_secret: v.optional(v.string()),
});

/** What nobody may read of a sign-in. */
export function secretsIn({ tokens, client }: Login): string[] {
  return [tokens, client].flatMap((kept) => {
    const found = v.safeParse(Secret, kept);
    return found.success ? Object.values(found.output).filter((one) => one !== undefined) : [];
  });
}

export interface Redirecting {
  /** Where the person's browser comes back to. */
  redirectUrl: string;
  /** Leads the person to where they sign in. */
  redirect(url: URL): void;
}

/** A sign-in for the protocol's package, which changes it. */
export function toProvider(
  before: Login,
  { auth: { clientId, issuer, scope }, clientSecret, told }: Omit<Authorized, 'server' | 'url'>,
  { redirectUrl, redirect }: Redirecting,
): { provider: OAuthClientProvider; login: () => Login; state: string } {
  const login: Login = { ...before };
  const note = () => secretsIn(login).forEach((secret) => told.add(secret));
  const state = randomBytes(24).toString('base64url');
  let verifier = '';
  let discovered: OAuthDiscoveryState | undefined;
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: {
      client_name: 'Cadre',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...(scope !== undefined && { scope }),
    },
    state: () => state,
    clientInformation() {
      // With its issuer it goes to no other, whichever the server names.
      if (clientId !== undefined)
        return { client_id: clientId, ...defined({ client_secret: clientSecret, issuer }) };
      const known = v.safeParse(Client, login.client);
      return known.success ? known.output : undefined;
    },
    // Where it is given, none registers itself in its place.
    ...(clientId === undefined && {
      saveClientInformation(client: unknown) {
        login.client = client;
        note();
      },
    }),
    tokens() {
      const known = v.safeParse(Tokens, login.tokens);
      return known.success ? known.output : undefined;
    },
    saveTokens(tokens) {
      login.tokens = tokens;
      note();
    },
    redirectToAuthorization: redirect,
    saveCodeVerifier(text) {
      verifier = text;
    },
    codeVerifier: () => verifier,
    saveDiscoveryState(found) {
      discovered = found;
    },
    discoveryState: () => discovered,
  };
  return { provider, login: () => login, state };
}
