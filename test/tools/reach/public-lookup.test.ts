import type { LookupAddress } from 'node:dns';
import { expect, test } from 'vitest';
import {
  assertPublic,
  publicLookup,
  RefusedFetch,
  type PublicOptions,
} from '../../../src/tools/reach/public-lookup.ts';

const at = (...addresses: string[]): LookupAddress[] =>
  addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

/** What a socket is given that asks for one address, or for all. */
function lookUp(options: PublicOptions, all: boolean): Promise<unknown[]> {
  return new Promise((resolve) => {
    publicLookup(options)('a.test', { all }, (...given) => resolve(given));
  });
}

const resolvedTo = (...addresses: string[]) => ({ resolve: () => Promise.resolve(at(...addresses)) });

test('a socket is given the addresses that were checked: the first, or all of them', async () => {
  const found = resolvedTo('93.184.216.34', '2606:2800:220:1::1');
  expect(await lookUp(found, true)).toEqual([null, at('93.184.216.34', '2606:2800:220:1::1')]);
  expect(await lookUp(found, false)).toEqual([null, '93.184.216.34', 4]);
});

test.each([
  ['a private address', ['10.0.0.1'], 'host "a.test" (10.0.0.1) is not on the public internet'],
  [
    'a private one among public ones',
    ['93.184.216.34', '::1'],
    'host "a.test" (::1) is not on the public internet',
  ],
  ['none', [], 'host "a.test" has no address'],
])('a name with %s is refused', async (_, addresses, message) => {
  for (const all of [true, false]) {
    const [error] = await lookUp(resolvedTo(...addresses), all);
    expect(error).toEqual(new RefusedFetch(message));
  }
});

test('why a name cannot be resolved is told, whatever was thrown', async () => {
  const failing = (thrown: unknown) => ({
    resolve: () => Promise.reject<LookupAddress[]>(thrown),
  });
  const error = new Error('no such name');
  expect(await lookUp(failing(error), true)).toEqual([error, []]);
  expect(await lookUp(failing('out of order'), true)).toEqual([new Error('out of order'), []]);
});

test('ranges that are given may be reached besides public addresses', async () => {
  const found = { ...resolvedTo('127.0.0.1'), ranges: ['127.0.0.0/8'] };
  expect(await lookUp(found, false)).toEqual([null, '127.0.0.1', 4]);
  const url = new URL('http://127.0.0.1/');
  expect(() => assertPublic(url, found)).not.toThrow();
  expect(() => assertPublic(url)).toThrow(new RefusedFetch('host "127.0.0.1" is not on the public internet'));
});

test.each([
  ['http://[::1]/', 'host "[::1]" is not on the public internet'],
  ['http://10.1.2.3./', 'host "10.1.2.3" is not on the public internet'],
])('%s is refused without looking anything up', (url, message) => {
  expect(() => assertPublic(new URL(url))).toThrow(new RefusedFetch(message));
});
