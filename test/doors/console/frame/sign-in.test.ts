import { createHash } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import { renewSession } from '../../../../src/doors/console/client/renew-session.ts';
import { storedSession, storeSession } from '../../../../src/doors/console/client/session.ts';
import { beginSignIn, completeSignIn, signInSettings } from '../../../../src/doors/console/client/sign-in.ts';
import type { Oddity } from '../../../fixtures/oidc-issuer.ts';
import { serveSignedIn } from '../signed-in-server.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const NOTHING = { url: 'http://127.0.0.1:1' };

/** A tab at an address, which leads to others as a browser does. */
function openTab(url: string) {
  const kept = new Map<string, string>();
  const tab = {
    address: new URL(url),
    kept: {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
      removeItem: (key: string) => void kept.delete(key),
    },
    leaveFor: (to: string) => void (tab.address = new URL(to)),
    rename: (to: string) => void (tab.address = new URL(to, tab.address)),
    /** Follows a redirect, as a browser does by itself. */
    async follow() {
      const response = await fetch(tab.address, { redirect: 'manual' });
      const location = response.headers.get('location');
      if (location === null) throw new Error(`no redirect, but ${response.status}: ${await response.text()}`);
      tab.address = new URL(location);
    },
    all: () => Object.fromEntries(kept),
  };
  return tab;
}

/** A tab in which a sign-in has begun, back from the issuer. */
async function signedIn(oddity: Oddity = {}) {
  const { url, issuer } = await serveSignedIn(NOTHING, { oddity });
  const tab = openTab(`${url}/#/runs/r`);
  const settings = await signInSettings(tab);
  if (settings === undefined) throw new Error('there is nowhere to sign in');
  await beginSignIn(tab, settings);
  const left = tab.address;
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
  const { verifier } = JSON.parse(tab.kept.getItem('cadre-sign-in') ?? '{}');
  expect(createHash('sha256').update(verifier).digest('base64url')).toBe(asked?.['code_challenge']);
  expect(tab.address.searchParams.has('code')).toBe(true);

  expect(await completeSignIn(tab)).toEqual({ token: 'what-the-issuer-gives', who: 'größer' });
  expect([tab.address.href, tab.all()]).toEqual([`${url}/#/runs/r`, {}]);
});

test('a session is renewed without the person, once for all who ask at the same time', async () => {
  const { tab, url } = await signedIn({ refreshes: true, lasts: 60 });
  const session = await completeSignIn(tab);
  vi.stubGlobal('sessionStorage', tab.kept);
  vi.stubGlobal('location', { href: url });
  vi.useFakeTimers({ toFake: ['Date'], now: 1_000 });
  if (session === undefined || 'fault' in session) expect.fail();
  storeSession(session);
  expect(await Promise.all([renewSession(), renewSession()])).toEqual([true, true]);
  const renewed = storedSession();
  expect(renewed).toEqual({
    token: 'what-the-issuer-gives',
    who: 'größer',
    refresh: expect.any(String),
    endsAt: 61_000,
  });
  expect(renewed?.refresh).not.toBe(session.refresh);
  storeSession(session);
  expect([await renewSession(), storedSession()]).toEqual([false, session]);
});

test('each sign-in has a state, a nonce and a verifier of its own', async () => {
  const [one, other] = [await signedIn(), await signedIn()];
  for (const name of ['state', 'nonce', 'code_challenge']) {
    expect(one.issuer.asked[0]?.[name]).not.toBe(other.issuer.asked[0]?.[name]);
  }
});

test('a foreign link signs no one in', async () => {
  const { tab, url } = await signedIn();
  const stolen = openTab(tab.address.href);
  expect(await completeSignIn(stolen)).toEqual({ fault: 'this sign-in was not begun in this tab' });
  expect(stolen.address.href).toBe(`${url}/`);

  const { tab: begun } = await signedIn();
  begun.address.searchParams.set('state', 'another');
  expect(await completeSignIn(begun)).toEqual({ fault: 'this sign-in was not begun in this tab' });
  expect(begun.all()).toEqual({});
});

test('a code is used once', async () => {
  const { tab } = await signedIn();
  const again = openTab(tab.address.href);
  for (const [key, value] of Object.entries(tab.all())) again.kept.setItem(key, value);
  await completeSignIn(tab);
  expect(await completeSignIn(again)).toEqual({ fault: 'the issuer answered 400: the code is not yours' });
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
  expect(await completeSignIn(tab)).toEqual({ fault });
  expect([tab.address.search, tab.all()]).toEqual(['', {}]);
});

test('an address without what an issuer sends changes nothing', async () => {
  const { url } = await serveSignedIn(NOTHING);
  const tab = openTab(`${url}/?code=only#/runs/r`);
  expect(await completeSignIn(tab)).toBe(undefined);
  expect(tab.address.href).toBe(`${url}/?code=only#/runs/r`);
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
