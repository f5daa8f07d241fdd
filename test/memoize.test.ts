import { expect, test } from 'vitest';
import { memoize } from '../src/memoize.ts';

test('what is asked for again is not looked for again, unless a thousand others have come', () => {
  const looked: string[] = [];
  const find = memoize((text) => {
    looked.push(text);
    return text === 'nothing' ? undefined : text.length;
  });
  expect([find('one'), find('one'), find('nothing'), find('nothing')]).toEqual([3, 3, undefined, undefined]);
  for (let id = 0; id < 998; id++) find(String(id));
  find('one');
  expect(looked).toHaveLength(1_000);
  find('more');
  expect([find('one'), find('more'), looked.length, looked.slice(-2)]).toEqual([
    3,
    4,
    1_002,
    ['more', 'one'],
  ]);
});
