import { afterEach, describe, expect, test, vi } from 'vitest';
import { signInSettings } from '../../../../src/doors/console/client/sign-in.ts';
import { handBack, signInBeside } from '../../../../src/doors/console/frame/sign-in-beside.ts';
import { serveSignedIn } from '../signed-in-server.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

type Told = { source: unknown; origin: unknown; data: unknown };

/** A page whose person may sign in, and a window that opens beside it. @param led what happens once it leads elsewhere */
async function openPage(
  led: (address: string, window: object, tell: (told: Told) => void) => Promise<void> | void,
) {
  const { url } = await serveSignedIn({ url: 'http://127.0.0.1:1' }, {});
  const settings = (await signInSettings({ address: new URL(url) })) ?? expect.fail();
  const listeners = new Set<(told: Told) => void>();
  const kept = new Map<string, string>();
  const beside = {
    closed: false,
    close: () => void (beside.closed = true),
    location: {
      assign: (address: string) =>
        void led(address, beside, (told) => listeners.forEach((each) => each(told))),
    },
  };
  const opened: unknown[] = [];
  vi.stubGlobal('location', { href: `${url}/#/runs/r`, origin: url });
  vi.stubGlobal('open', (...words: unknown[]) => {
    opened.push(words);
    return beside;
  });
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  });
  vi.stubGlobal('addEventListener', (type: string, listener: (told: Told) => void) => {
    expect(type).toBe('message');
    listeners.add(listener);
  });
  vi.stubGlobal('removeEventListener', (type: string, listener: (told: Told) => void) => {
    expect(type).toBe('message');
    listeners.delete(listener);
  });
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  return { url, settings, beside, opened, listeners };
}

describe('a person who signs in in a window of its own', () => {
  test('has the token that it brings, whatever else is told to the page', async () => {
    const page = await openPage(async (address, source, tell) => {
      const { headers } = await fetch(address, { redirect: 'manual' });
      const data = headers.get('location') ?? expect.fail();
      const { origin } = new URL(data);
      tell({ source: {}, origin, data: 'https://foreign.example' });
      tell({ source, origin: 'https://foreign.example', data: 'https://foreign.example' });
      tell({ source, origin, data: { of: 'an extension' } });
      tell({ source, origin, data });
    });
    expect(await signInBeside(page.settings)).toEqual({ token: 'what-the-issuer-gives', who: 'größer' });
    expect([page.opened, page.beside.closed, page.listeners.size, vi.getTimerCount()]).toEqual([
      [['', '', 'popup,width=480,height=680']],
      true,
      0,
      0,
    ]);
  });

  test('may close it, or be refused, or come back with nothing', async () => {
    const closing = await openPage((_, window) => {
      vi.advanceTimersByTime(499);
      Object.assign(window, { closed: true });
      vi.advanceTimersByTime(1);
    });
    await expect(signInBeside(closing.settings)).rejects.toThrow(
      'the window was closed before you were signed in',
    );
    expect([closing.listeners.size, vi.getTimerCount()]).toEqual([0, 0]);
    const back = (query: string) =>
      openPage((_, source, tell) =>
        tell({ source, origin: location.origin, data: `${location.origin}/${query}` }),
      );
    await expect(signInBeside((await back('?state=x&code=y')).settings)).rejects.toThrow(
      'this sign-in was not begun in this tab',
    );
    await expect(signInBeside((await back('')).settings)).rejects.toThrow('the issuer sent nothing back');
    vi.stubGlobal('open', () => null);
    await expect(signInBeside(closing.settings)).rejects.toThrow(
      'the browser opens no window for it: allow that for this page',
    );
  });
});

test('the window hands the answer of the issuer to the page of the same site that opened it, and to no other', () => {
  const origin = 'https://cadre.example';
  const handed = (search: string, opener: object | null) => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const told: unknown[] = [];
    const postMessage = (...words: unknown[]) => void told.push(words);
    vi.stubGlobal('location', { search, origin, href: `${origin}/${search}` });
    vi.stubGlobal('window', {
      opener: opener && { postMessage, ...opener },
      close: () => void told.push('closed'),
    });
    const isHanded = handBack();
    // A page that waits closes the window itself.
    vi.advanceTimersByTime(9_999);
    if (isHanded) expect(told).not.toContain('closed');
    vi.advanceTimersByTime(1);
    return [isHanded, told];
  };
  const own = { location: { origin } };
  const back = [true, [[`${origin}/?code=c&state=s`, origin], 'closed']];
  expect(handed('?code=c&state=s', own)).toEqual(back);
  expect(handed('?state=s', own)).toEqual([true, [[`${origin}/?state=s`, origin], 'closed']]);
  const foreign = {
    get location(): never {
      throw new DOMException('of another site', 'SecurityError');
    },
  };
  expect(handed('?estate=s', own)).toEqual([false, []]);
  for (const opener of [null, { location: { origin: 'https://foreign.example' } }]) {
    expect(handed('?code=c&state=s', opener)).toEqual([false, []]);
  }
  vi.stubGlobal('window', { opener: foreign, close: () => expect.fail() });
  expect(handBack()).toBe(false);
});
