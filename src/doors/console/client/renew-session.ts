import { storedSession, storeSession } from './session.ts';
import { refreshSession, signInSettings } from './sign-in.ts';
import { tab } from './tab.ts';

let renewing: Promise<boolean> | undefined;

/** Gets a new token from the issuer if it permits that without the person. @returns whether there is one */
export async function renewSession(): Promise<boolean> {
  // Issuers take each refresh token once: two requests that are refused at once share the next one.
  renewing ??= renew().finally(() => (renewing = undefined));
  return renewing;
}

async function renew(): Promise<boolean> {
  const session = storedSession();
  if (session?.refresh === undefined) return false;
  try {
    const settings = await signInSettings(tab);
    if (settings === undefined) return false;
    storeSession({ ...session, ...(await refreshSession(session.refresh, settings)) });
    return true;
  } catch {
    // The person is asked to sign in as soon as a request is refused.
    return false;
  }
}
