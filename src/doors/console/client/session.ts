import type { PageSession } from './sign-in.ts';

/** The session of this tab: kept for the tab alone, and never in an address. */

const KEY = 'cadre-session';
const OUT = 'cadre-signed-out';
const IN_ADDRESS = /^#token=([^&]+)(?:&(.*))?$/;

export function storedSession(): PageSession | undefined {
  const kept = sessionStorage.getItem(KEY);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only `storeSession` writes it
  return kept === null ? undefined : (JSON.parse(kept) as PageSession);
}

export function storeSession(session: PageSession): void {
  sessionStorage.removeItem(OUT);
  sessionStorage.setItem(KEY, JSON.stringify(session));
  for (const listener of listeners) listener();
}

const listeners = new Set<() => void>();

/** Tells whenever another session is stored. @returns a function that ends that */
export function onSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Forgets the session and, with the page, everything that it has shown. */
export function signOut(): void {
  sessionStorage.removeItem(KEY);
  sessionStorage.setItem(OUT, 'yes');
  location.reload();
}

/** Whether the person has signed out in this tab, so that they are not signed in again unasked. */
export function isSignedOut(): boolean {
  return sessionStorage.getItem(OUT) !== null;
}

/** Takes the token from an address such as `/#token=abc`, and removes it from the address and the history. */
export function takeTokenFromAddress(): void {
  const [, token, rest = '/'] = IN_ADDRESS.exec(location.hash) ?? [];
  if (token === undefined) return;
  // Characters that stand for themselves, such as a %, stay as they are.
  storeSession({ token: token.replace(/(?:%[0-7][0-9a-f])+/gi, decodeURIComponent) });
  history.replaceState(null, '', `#${rest}`);
}
