import { discoverAuthorizationServerMetadata, selectClientAuthMethod } from '@modelcontextprotocol/client';
import * as v from 'valibot';
import { defined } from '../../../defined.ts';
import type { Secrets } from '../../../core/records/secrets.ts';
import type { ToolServer } from '../../../core/records/tool-server.ts';
import type { Login } from '../ports.ts';
import { authFetch } from './auth-fetch.ts';
import { authorizedBy } from './authorization.ts';
import { clientIn, revocableIn } from './login-provider.ts';
import { wordsOf } from './words.ts';

/** What an authorization server says of it (RFC 8414). */
const Revocation = v.object({
  revocation_endpoint: v.string(),
  revocation_endpoint_auth_methods_supported: v.optional(v.array(v.string()), []),
});

/** A person who disconnects does not wait long for others. */
const REVOKE_MS = 10_000;

/**
 * Revokes the tokens of a sign-in that has been forgotten here, at the authorization server that gave them, and at no
 * other that a server may name by now (RFC 7009).
 * @returns why they stay valid there until they end, in words; undefined: they do not
 */
export async function revokeTokens(
  server: ToolServer,
  secrets: Secrets,
  login: Login,
): Promise<string | undefined> {
  const { issuer, tokens } = revocableIn(login);
  if (tokens.length === 0) return undefined;
  if (issuer === undefined) return 'it is not known which authorization server gave the tokens';
  const authorized = await authorizedBy(server, secrets);
  if (authorized === undefined) return 'the server takes no sign-in any more';
  const { of, redact } = authorized;
  tokens.forEach(({ token }) => of.told.add(token));
  try {
    const fetchFn = authFetch(of, REVOKE_MS);
    const metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn });
    const found = v.safeParse(Revocation, metadata);
    if (!found.success) return 'its authorization server revokes no tokens';
    const { revocation_endpoint: endpoint, revocation_endpoint_auth_methods_supported: ways } = found.output;
    const { client_id, client_secret } = clientIn(login, of) ?? {};
    const isBasic =
      client_id !== undefined &&
      client_secret !== undefined &&
      selectClientAuthMethod({ client_id, client_secret }, ways) === 'client_secret_basic';
    for (const { token, hint } of tokens) {
      const form = {
        token,
        token_type_hint: hint,
        ...(!isBasic && defined({ client_id, client_secret })),
      };
      const response = await fetchFn(endpoint, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          ...(isBasic && { authorization: basicOf(client_id, client_secret) }),
        },
        body: new URLSearchParams(form).toString(),
      });
      await response.body?.cancel();
      if (!response.ok) return `its authorization server answers HTTP ${response.status}`;
    }
    return undefined;
  } catch (thrown) {
    return wordsOf(thrown, redact);
  }
}

/** RFC 6749, 2.3.1. */
function basicOf(id: string, secret: string): string {
  const encoded = [id, secret].map((part) => encodeURIComponent(part)).join(':');
  return `Basic ${Buffer.from(encoded).toString('base64')}`;
}
