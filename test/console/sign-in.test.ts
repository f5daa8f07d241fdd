import { createHash } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { beginSignIn, completeSignIn, signInSettings } from '../../src/console/sign-in.ts';
import type { Oddity } from '../fixtures/oidc-issuer.ts';
import { serveSignedIn } from './signed-in-server.ts';

const NOTHING = { url: 'http://127.0.0.1:1' };

/** One tab of a browser, at an address, as far as signing in uses it. */
class Tab {
  readonly kept = new Map<string, string>();
  readonly #fetch = globalThis.fetch;
  url: URL;

  constructor(url: string) {
    this.url = new URL(url);
    const tab = this;
    vi.stubGlobal('location', {
      get search() {
        return tab.url.search;
      },
      get hash() {
        return tab.url.hash;
      },
      get origin() {
        return tab.url.origin;
      },
      get pathname() {
        return tab.url.pathname;
      },
      assign: (to: string) => void (tab.url = new URL(to, tab.url)),
    });
    vi.stubGlobal('history', {
      replaceState: (_: unknown, __: string, to: string) => void (tab.url = new URL(to, tab.url)),
    });
    vi.stubGlobal('sessionStorage', {
      getItem: (key: string) => tab.kept.get(key) ?? null,
      setItem: (key: string, value: string) => void tab.kept.set(key, value),
      removeItem: (key: string) => void tab.kept.delete(key),
    });
    vi.stubGlobal('fetch', (to: string, init?: RequestInit) => tab.#fetch(new URL(to, tab.url), init));
  }

  /** Follows a redirect, as a browser does by itself. */
  async follow(): Promise<void> {
    const response = await this.#fetch(this.url, { redirect: 'manual' });
    const location = response.headers.get('location');
    if (location === null) throw new Error(`no redirect, but ${response.status}: ${await response.text()}`);
    this.url = new URL(location);
  }
}

/** A tab in which a sign-in has begun, back from the issuer. */
async function signedIn(oddity: Oddity = {}) {
  const { url, issuer } = await serveSignedIn(NOTHING, { oddity });
  const tab = new Tab(`${url}/#/runs/r`);
  const settings = await signInSettings();
  if (settings === undefined) throw new Error('there is nowhere to sign in');
  await beginSignIn(settings);
  const left = tab.url;
  await tab.follow();
  return { url, issuer, tab, left };
}

test('a person who comes back from the issuer has the token of the API, where they were before', async () => {
  const { url, issuer, tab, left } = await signedIn();
  expect(left.origin).toBe(issuer.url);
  const [asked] = issuer.asked;
  expect(asked).toEqual({
    tenant: '1',
    response_type: 'code',
    client_id: 'the-page',
    redirect_uri: `${url}/`,
    scope: 'openid cadre/answer',
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
    audience: 'the-api',
  });
  const { verifier } = JSON.parse(tab.kept.get('cadre-sign-in') ?? '{}');
  expect(createHash('sha256').update(verifier).digest('base64url')).toBe(asked?.['code_challenge']);
  expect(tab.url.searchParams.has('code')).toBe(true);

  expect(await completeSignIn()).toBe(undefined);
  expect(tab.url.href).toBe(`${url}/#/runs/r`);
  expect([...tab.kept]).toEqual([['cadre-token', 'what-the-issuer-gives']]);
});

test('each sign-in has a state, a nonce and a verifier of its own', async () => {
  const [one, other] = [await signedIn(), await signedIn()];
  for (const name of ['state', 'nonce', 'code_challenge']) {
    expect(one.issuer.asked[0]?.[name]).not.toBe(other.issuer.asked[0]?.[name]);
  }
});

test('nobody is signed in by a link that somebody else made', async () => {
  const { tab, url } = await signedIn();
  const stolen = new Tab(tab.url.href);
  expect(await completeSignIn()).toBe('this sign-in was not begun in this tab');
  expect([stolen.url.href, [...stolen.kept]]).toEqual([`${url}/`, []]);

  const { tab: begun } = await signedIn();
  begun.url.searchParams.set('state', 'another');
  expect(await completeSignIn()).toBe('this sign-in was not begun in this tab');
  expect([...begun.kept]).toEqual([]);
});

test('a code is used once', async () => {
  const { tab } = await signedIn();
  const [address, begun] = [tab.url, new Map(tab.kept)];
  await completeSignIn();
  tab.url = address;
  begun.forEach((value, key) => tab.kept.set(key, value));
  expect(await completeSignIn()).toBe('the issuer answered 400: the code is not yours');
});

test.each<[string, Oddity, string]>([
  ['refuses', { refusal: { error: 'access_denied' } }, 'access_denied'],
  [
    'says why it refuses',
    { refusal: { error: 'invalid_scope', error_description: 'no such scope: cadre/answer' } },
    'no such scope: cadre/answer',
  ],
  ['is not the one that was asked', { iss: 'https://evil.example' }, 'another issuer answered'],
  ['answers for another', { claims: { iss: 'https://evil.example' } }, 'another issuer answered'],
  ['answers another sign-in', { claims: { nonce: 'x' } }, 'the issuer answered another sign-in'],
])('nobody is signed in by an issuer that %s', async (_, oddity, fault) => {
  const { tab } = await signedIn(oddity);
  expect(await completeSignIn()).toBe(fault);
  expect([...tab.kept]).toEqual([]);
  expect(tab.url.search).toBe('');
});

test('an address without what an issuer sends changes nothing', async () => {
  const { url } = await serveSignedIn(NOTHING);
  const tab = new Tab(`${url}/?code=only#/runs/r`);
  expect(await completeSignIn()).toBe(undefined);
  expect(tab.url.href).toBe(`${url}/?code=only#/runs/r`);
});

test('the page may ask the place that gives tokens, and is told how to sign in', async () => {
  const { url, issuer } = await serveSignedIn(NOTHING);
  const response = await fetch(`${url}/console-config.json`);
  expect(response.headers.get('content-security-policy')).toContain(`connect-src 'self' ${issuer.url};`);
  expect(await response.json()).toEqual({
    sign_in: {
      issuer: issuer.url,
      authorization_endpoint: `${issuer.url}/authorize?tenant=1`,
      token_endpoint: `${issuer.url}/token`,
      client_id: 'the-page',
      scope: 'openid cadre/answer',
      audience: 'the-api',
    },
  });
});
