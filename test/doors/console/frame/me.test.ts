import { expect, test, vi } from 'vitest';
import { me } from '../../../../src/doors/console/client/me.ts';

test.each([
  [{ sub: 'jürgen@例え' }, 'jürgen@例え'],
  [{ name: 'nobody' }, 'the API'],
])('the reader of the page is whom the token %j names', (claims, who) => {
  const token = `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.s`;
  vi.stubGlobal('sessionStorage', { getItem: () => JSON.stringify({ token }) });
  expect(me()).toBe(who);
  vi.unstubAllGlobals();
});

test('the token of a server names nobody', () => {
  vi.stubGlobal('sessionStorage', { getItem: () => JSON.stringify({ token: 'a-token-of-our-own' }) });
  expect(me()).toBe('the API');
  vi.unstubAllGlobals();
});
