import type { Json } from '../../../src/json.ts';

/** A value of every shape that JSON has, and those that stores like to change. */
export const jsonValues: [string, Json][] = [
  ['null', null],
  ['false', false],
  ['the empty string', ''],
  ['a large number', 1e300],
  ['a small number', 5e-324],
  ['a number of 17 digits', 0.1 + 0.2],
  ['the largest safe integer', Number.MAX_SAFE_INTEGER],
  ['an empty array', []],
  ['an empty object', {}],
  ['characters of every length in UTF-8', 'a é € 😀 \u0000 \u2028 \uffff'],
  ['half a surrogate pair', 'cut \ud83d'],
  ['empty keys and strings inside', { '': [''], a: { '': null } }],
  ['a key called __proto__', JSON.parse('{"__proto__": {"constructor": 1}}')],
  ['100 levels', nested(100)],
  ['300 KB', { text: 'x'.repeat(300_000) }],
  ['300 KB outside of ASCII', { text: '€'.repeat(100_000) }],
  ['an array of mixed values', [1, 'two', { three: [null, true] }, [[]]]],
];

function nested(levels: number): Json {
  let value: Json = 'bottom';
  for (let level = 0; level < levels; level++) value = level % 2 ? [value] : { next: value };
  return value;
}
