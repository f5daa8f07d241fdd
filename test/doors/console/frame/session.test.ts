import { afterEach, expect, test, vi } from 'vitest';
import { poll } from '../../../../src/doors/console/client/poll.ts';
import { renewSession } from '../../../../src/doors/console/client/renew-session.ts';
import {
  isSignedOut,
  onSession,
  signOut,
  storedSession,
  storeSession,
  takeTokenFromAddress,
} from '../../../../src/doors/console/client/session.ts';
import { serveSignedIn } from '../signed-in-server.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** A tab at an address, and what the page makes of it. */
function openTab(hash: string, origin = 'https://cadre.example') {
  const kept = new Map<string, string>();
  const done: unknown[] = [];
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  });
  vi.stubGlobal('location', { hash, href: `${origin}/${hash}`, origin, reload: () => done.push('reloaded') });
  vi.stubGlobal('history', { replaceState: (...words: unknown[]) => done.push(words) });
  return { kept, done };
}

test.each([
  ['#token=abc', 'abc', '#/'],
  ['#token=abc&/runs?tag=a&b', 'abc', '#/runs?tag=a&b'],
  ['#token=a%2Fb%2f%C3%BC%', 'a/b/%C3%BC%', '#/'],
  ['#token=', undefined, undefined],
  ['#/runs/token=abc', undefined, undefined],
])('of an address that ends in %s, the token is %s, and nothing of it stays', (hash, token, left) => {
  const { kept, done } = openTab(hash);
  takeTokenFromAddress();
  expect(storedSession()).toEqual(token === undefined ? undefined : { token });
  expect(done).toEqual(left === undefined ? [] : [[null, '', left]]);
  expect(kept.size).toBe(token === undefined ? 0 : 1);
});

test('who signs out is not signed in again unasked, until there is another session', () => {
  const { kept, done } = openTab('');
  let told = 0;
  const leave = onSession(() => (told += 1));
  storeSession({ token: 'one' });
  expect([storedSession(), isSignedOut(), told]).toEqual([{ token: 'one' }, false, 1]);
  signOut();
  expect([storedSession(), isSignedOut(), done, [...kept.values()]]).toEqual([
    undefined,
    true,
    ['reloaded'],
    ['yes'],
  ]);
  leave();
  storeSession({ token: 'two' });
  expect([storedSession(), isSignedOut(), told]).toEqual([{ token: 'two' }, false, 1]);
});

test('a session that nobody can renew stays as it is', async () => {
  const { url } = await serveSignedIn({ url: 'http://127.0.0.1:1' });
  openTab('', url);
  expect(await renewSession()).toBe(false);
  storeSession({ token: 'old' });
  expect(await renewSession()).toBe(false);
  storeSession({ token: 'old', who: 'ada', refresh: 'unknown' });
  expect(await Promise.all([renewSession(), renewSession()])).toEqual([false, false]);
  expect(storedSession()).toEqual({ token: 'old', who: 'ada', refresh: 'unknown' });
  openTab('', 'http://127.0.0.1:1');
  storeSession({ token: 'old', refresh: 'any' });
  expect(await renewSession()).toBe(false);
});

test('work is repeated with a pause, more seldom or not at all on a hidden page, and at once when it is seen', async () => {
  vi.useFakeTimers();
  const page = Object.assign(new EventTarget(), { hidden: false });
  vi.stubGlobal('document', page);
  const turn = async (isHidden: boolean) => {
    page.hidden = isHidden;
    page.dispatchEvent(new Event('visibilitychange'));
    await vi.advanceTimersByTimeAsync(0);
  };
  const seen: [name: string, counts: number[]][] = [];
  for (const hiddenMs of [undefined, 500]) {
    page.hidden = false;
    let done = 0;
    const counts: number[] = [];
    const end = poll(async () => void (done += 1), 100, hiddenMs);
    const pass = async (milliseconds: number) => {
      await vi.advanceTimersByTimeAsync(milliseconds);
      counts.push(done);
    };
    await pass(0);
    await pass(99);
    await pass(1);
    await turn(true);
    await pass(100);
    await pass(499);
    await pass(1);
    await turn(false);
    await pass(0);
    await pass(100);
    end();
    await turn(true);
    await turn(false);
    await pass(1_000);
    seen.push([String(hiddenMs), counts]);
  }
  expect(seen).toEqual([
    ['undefined', [1, 1, 2, 2, 2, 2, 3, 4, 4]],
    ['500', [1, 1, 2, 3, 3, 4, 5, 6, 6]],
  ]);
  expect(vi.getTimerCount()).toBe(0);
});
