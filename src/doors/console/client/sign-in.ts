import { messageOf } from '../../../errors.ts';
import type { PageConfig, PageSignIn } from '../../api/page.ts';

/**
 * Signing in where the API takes the tokens of an issuer: OpenID Connect's authorization code flow with PKCE (RFC
 * 7636), as for every client that can keep no secret. Tokens never stand in an address, and are kept for this tab
 * alone.
 */

/** The tab of a browser, as far as signing in needs one. */
export interface Tab {
  readonly address: URL;
  /** The values kept for this tab alone. */
  readonly kept: {
    getItem(key: string): string | null;
    setItem(key: string, value: string): void;
    removeItem(key: string): void;
  };
  leaveFor(address: string): void;
  /** Shows another address in place of this one, in the history too. */
  rename(address: string): void;
}

/** A sign-in, or the token of the server. */
export interface PageSession {
  /** What requests carry. */
  token: string;
  /** The person, as the issuer names them; absent where the token is the server's own. */
  who?: string;
  /** Gets the next token from the issuer; absent where it gives none. */
  refresh?: string;
  /** When the token ends, in milliseconds since 1970; absent: not known. */
  endsAt?: number;
}

/** The result of a sign-in, or why there is none. */
export type SignedIn = PageSession | { fault: string };

/** The state of a sign-in while the person is at the issuer. */
interface Begun {
  state: string;
  nonce: string;
  verifier: string;
  /** Where the person was in the page. */
  hash: string;
}

const KEY = 'cadre-sign-in';

/** What the page needs to know of its server. */
export async function pageConfig({ address }: Pick<Tab, 'address'>): Promise<PageConfig> {
  const response = await fetch(new URL('console-config.json', address));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the server sends what src/doors/api/page.ts declares
  return response.ok ? ((await response.json()) as PageConfig) : {};
}

/** Where people sign in; undefined where the server asks for a token of its own. */
export async function signInSettings(tab: Pick<Tab, 'address'>): Promise<PageSignIn | undefined> {
  return (await pageConfig(tab)).sign_in;
}

/** Leaves for the issuer, which sends the person back. */
export async function beginSignIn(tab: Tab, settings: PageSignIn): Promise<void> {
  const { hash } = tab.address;
  const begun: Begun = { state: random(), nonce: random(), verifier: random(), hash };
  tab.kept.setItem(KEY, JSON.stringify(begun));
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(begun.verifier));
  const url = new URL(settings.authorization_endpoint);
  const asked = {
    response_type: 'code',
    client_id: settings.client_id,
    redirect_uri: ownAddress(tab),
    scope: settings.scope,
    state: begun.state,
    nonce: begun.nonce,
    code_challenge: base64Url(new Uint8Array(digest)),
    code_challenge_method: 'S256',
    ...(settings.audience !== undefined && { audience: settings.audience }),
  };
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
  tab.leaveFor(url.href);
}

/**
 * Takes the issuer's parameters if it has just sent the person back, and removes them from the address and the history.
 * @returns undefined if it has not
 */
export async function completeSignIn(tab: Tab): Promise<SignedIn | undefined> {
  const { searchParams: sent, pathname } = tab.address;
  if (!sent.has('state') || !(sent.has('code') || sent.has('error'))) return undefined;
  const begun = takeBegun(tab);
  tab.rename(pathname + (begun?.hash ?? ''));
  try {
    // An attacker who leads a person here with a foreign code does not know the state.
    if (begun === undefined || sent.get('state') !== begun.state) {
      throw new Error('this sign-in was not begun in this tab');
    }
    const error = sent.get('error');
    if (error !== null) throw new Error(sent.get('error_description') ?? error);
    const settings = await signInSettings(tab);
    if (settings === undefined) throw new Error('the server names no issuer');
    // RFC 9207
    if ((sent.get('iss') ?? settings.issuer) !== settings.issuer) throw new Error('another issuer answered');
    return await exchange(sent.get('code') ?? '', begun, ownAddress(tab), settings);
  } catch (thrown) {
    return { fault: messageOf(thrown) };
  }
}

function takeBegun(tab: Tab): Begun | undefined {
  const kept = tab.kept.getItem(KEY);
  tab.kept.removeItem(KEY);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only `beginSignIn` writes it
  return kept === null ? undefined : (JSON.parse(kept) as Begun);
}

async function exchange(
  code: string,
  { verifier, nonce }: Begun,
  address: string,
  settings: PageSignIn,
): Promise<PageSession> {
  const { answered, session } = await askForToken(settings, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: address,
    code_verifier: verifier,
  });
  // It comes from the issuer itself over TLS, which replaces its signature (OpenID Connect Core 1.0, 3.1.3.7).
  const identity = claimsOf(textOf(answered, 'id_token') ?? '');
  if (textOf(identity, 'nonce') !== nonce) throw new Error('the issuer answered another sign-in');
  if (textOf(identity, 'iss') !== settings.issuer) throw new Error('another issuer answered');
  const who = ['email', 'preferred_username', 'name', 'sub'].map((claim) => textOf(identity, claim));
  return { ...session, who: who.find((each) => each !== undefined) ?? '' };
}

/** Continues a session whose token ends, without the person (RFC 6749, 6). */
export async function refreshSession(refresh: string, settings: PageSignIn): Promise<PageSession> {
  const { session } = await askForToken(settings, { grant_type: 'refresh_token', refresh_token: refresh });
  return session;
}

async function askForToken(
  settings: PageSignIn,
  asked: Record<string, string>,
): Promise<{ answered: unknown; session: PageSession }> {
  const response = await fetch(settings.token_endpoint, {
    method: 'POST',
    body: new URLSearchParams({ ...asked, client_id: settings.client_id }),
  });
  const answered: unknown = await response.json().catch(() => undefined);
  const token = textOf(answered, 'access_token');
  if (!response.ok || token === undefined) {
    const why = textOf(answered, 'error_description') ?? textOf(answered, 'error') ?? 'it gave no token';
    throw new Error(`the issuer answered ${response.status}: ${why}`);
  }
  const refresh = textOf(answered, 'refresh_token');
  const seconds: unknown = typeof answered === 'object' && answered && Reflect.get(answered, 'expires_in');
  return {
    answered,
    session: {
      token,
      ...(refresh !== undefined && { refresh }),
      ...(typeof seconds === 'number' && { endsAt: Date.now() + seconds * 1000 }),
    },
  };
}

/** What a token says of its person; undefined for one that is no JWT. */
export function claimsOf(token: string): unknown {
  const [, claims = ''] = token.split('.');
  try {
    const bytes = atob(claims.replaceAll('-', '+').replaceAll('_', '/'));
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0))));
  } catch {
    return undefined;
  }
}

/** A text in what somebody else has sent; undefined where there is none. */
export function textOf(of: unknown, key: string): string | undefined {
  const value: unknown = typeof of === 'object' && of !== null && Reflect.get(of, key);
  return typeof value === 'string' ? value : undefined;
}

/** As registered with the issuer, which sends people to no other address. */
function ownAddress({ address }: Tab): string {
  return address.origin + address.pathname;
}

/** 256 bits, in the characters that a verifier may have. */
function random(): string {
  return base64Url(crypto.getRandomValues(new Uint8Array(32)));
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}
