import type { Secrets } from '../../../core/records/secrets.ts';
import { addressOf, type ToolServer } from '../../../core/records/tool-server.ts';
import { defined } from '../../../defined.ts';
import type { Logins } from '../ports.ts';
import { revokeTokens } from './revoke.ts';

export interface SignedOut {
  /** Whether there were tokens to forget. */
  wasSignedIn: boolean;
  /** Why the tokens stay valid until they end, in words; absent: they do not. */
  notRevoked?: string;
}

/** Forgets a sign-in, and then has its tokens revoked: what is forgotten here is used no more, whatever is said there. */
export async function signOut(server: ToolServer, secrets: Secrets, logins: Logins): Promise<SignedOut> {
  const url = addressOf(server);
  const login = await logins.read(url);
  await logins.remove(url);
  if (login === undefined) return { wasSignedIn: false };
  const notRevoked = await revokeTokens(server, secrets, login);
  return { wasSignedIn: login.tokens !== undefined, ...defined({ notRevoked }) };
}
