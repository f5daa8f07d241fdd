import { cases } from '../../../fixtures/cases.ts';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { fitted, fittedTail, lineWithCursor } from '../../../../src/doors/cli/terminal/columns.ts';

test('a line as long as a book is drawn for each key', () => {
  const line = 'é'.repeat(100_000);
  const shown = Array.from({ length: cases(1000) }, (_, key) =>
    stripVTControlCharacters(lineWithCursor({ line, cursor: 50_000 + key }, 20)),
  );
  expect(new Set(shown)).toEqual(new Set([`…${'é'.repeat(17)}`]));
});

test.each([
  ['𝒳', 1],
  ['e\u0301', 1],
  ['👩‍🔬', 4],
])('of a long text of %j, whole characters are shown', (character, columns) => {
  const room = 12 / columns;
  // With any number of units before or after them.
  for (const edge of ['', '-', '--', '---', '----']) {
    const text = edge + character.repeat(1000) + edge;
    expect(fitted(text, 13 + edge.length)).toBe(`${edge}${character.repeat(room)}…`);
    expect(fittedTail(text, 13 + edge.length)).toBe(`…${character.repeat(room)}${edge}`);
  }
});

test.each([
  [-1, '', ''],
  [0, '', ''],
  [1, '…', '…'],
  [2, 'a…', '…d'],
  [3, 'ab…', '…cd'],
  [4, 'abcd', 'abcd'],
  [5, 'abcd', 'abcd'],
])('in %s columns, a text of four is whole or has a mark where it was cut', (width, beginning, end) => {
  expect([fitted('abcd', width), fittedTail('abcd', width)]).toEqual([beginning, end]);
});
