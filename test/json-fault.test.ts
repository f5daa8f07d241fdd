import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonFaultPosition } from '../src/json-fault.ts';
import { cases } from './fixtures/cases.ts';

it.each([
  ['', '1:1'],
  [' \n ', '2:2'],
  ['{"a": hello}', '1:7'],
  ['{"a": 1,\n  "b": [1, 2,]\n}', '2:14'],
  ['{"a": 1,\n}', '2:1'],
  ['{"a" 1}', '1:6'],
  ['{a: 1}', '1:2'],
  ['[1, 2}', '1:6'],
  ['[1, 2', '1:6'],
  ['{"a": "b', '1:7'],
  ['"a\nb"', '1:1'],
  ['[01]', '1:3'],
  ['[truex]', '1:6'],
  ['{} {}', '1:4'],
  ['[1 2]', '1:4'],
  ["{'a': 1}", '1:2'],
])('%j stops being JSON at %s', (text, place) => {
  expect(jsonFaultPosition(text)).toBe(place);
});

it('has no place in what JSON.parse takes, and one in what it does not', () => {
  const isJson = (text: string) => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  const pieces = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    '"a"',
    '"\\n"',
    '"\\x"',
    '"',
    '0',
    '-1.5e3',
    '01',
    '1.',
    'null',
    'nul',
    ' ',
    '\n',
    '\f',
  );
  const whole = fc.json();
  const cut = fc.tuple(whole, fc.nat(), fc.nat(3)).map(([text, at, length]) => {
    const start = at % text.length;
    return text.slice(0, start) + text.slice(start + length);
  });
  const made = fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.oneof(whole, cut, made), (text) => {
      expect([text, jsonFaultPosition(text) === undefined]).toEqual([text, isJson(text)]);
    }),
    { numRuns: cases(5_000) },
  );
});
