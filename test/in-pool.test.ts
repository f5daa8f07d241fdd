import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inPool } from '../src/in-pool.ts';

/** Work whose parts end when they are told to, in any order. */
function work() {
  const begun: string[] = [];
  const ends = new Map<string, { resolve: () => void; reject: (why: Error) => void }>();
  return {
    begun,
    do(thing: string): Promise<void> {
      begun.push(thing);
      return new Promise((resolve, reject) => void ends.set(thing, { resolve, reject }));
    },
    end: (thing: string) => ends.get(thing)?.resolve(),
    fail: (thing: string, why: Error) => ends.get(thing)?.reject(why),
  };
}

const NEVER = new AbortController().signal;

test('a pool does so many things at once, and the next one when one has ended', async () => {
  const { begun, do: doIt, end } = work();
  const all = inPool(['a', 'b', 'c'], 2, NEVER, doIt);
  expect(begun).toEqual(['a', 'b']);
  end('b');
  await turn();
  expect(begun).toEqual(['a', 'b', 'c']);
  end('a');
  end('c');
  expect(await all).toBeUndefined();
});

test('after a failure nothing more is begun, and what has begun is done before it is told', async () => {
  const { begun, do: doIt, end, fail } = work();
  const seen: string[] = [];
  const all = inPool(['a', 'b', 'c', 'd'], 2, NEVER, doIt).catch((thrown: unknown) => {
    seen.push(String(thrown));
  });
  fail('a', new Error('no'));
  await turn();
  expect(seen).toEqual([]);
  end('b');
  await all;
  expect({ seen, begun }).toEqual({ seen: ['Error: no'], begun: ['a', 'b'] });
});

test('after the signal nothing more is begun, and its reason is thrown', async () => {
  const { begun, do: doIt, end } = work();
  const stop = new AbortController();
  const all = inPool(['a', 'b'], 1, stop.signal, doIt);
  stop.abort(new Error('enough'));
  end('a');
  await expect(all).rejects.toThrow('enough');
  expect(begun).toEqual(['a']);
});
