import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nearest, nearestOrAll } from '../src/nearest.ts';

it.each([
  ['digset', ['review', 'digest', 'facts'], 'digest'],
  ['Digest', ['digest'], 'digest'],
  ['x', ['y', 'yy'], 'y'],
  ['modle', ['mode', 'model'], 'mode'],
  ['modle', ['model', 'mode'], 'model'],
  ['nonsense', ['digest', 'review'], undefined],
  ['', ['abc'], undefined],
  ['digest', [], undefined],
])('%j among %j is %j', (word, known, meant) => {
  expect(nearest(word, known)).toBe(meant);
});

it('a word with one slip of the keyboard is found among words that are unlike it', () => {
  const word = fc.stringMatching(/^[a-f]{4,12}$/);
  const slips = [
    (text: string, at: number) => text.slice(0, at) + text.slice(at + 1),
    (text: string, at: number) => `${text.slice(0, at)}x${text.slice(at)}`,
    (text: string, at: number) => `${text.slice(0, at)}x${text.slice(at + 1)}`,
    (text: string, at: number) =>
      text.slice(0, at) +
      text
        .slice(at, at + 2)
        .split('')
        .reverse()
        .join('') +
      text.slice(at + 2),
  ];
  fc.assert(
    fc.property(word, fc.nat(), fc.constantFrom(...slips), (meant, place, slip) => {
      const typed = slip(meant, place % meant.length);
      expect(nearest(typed, ['zzzzzzzz', meant, 'zzzz'])).toBe(meant);
    }),
  );
});

it('an unknown word is answered with the nearest one, with all, or with none', () => {
  expect([['pdf', 'notes'], ['notes'], []].map((known) => nearestOrAll('pdfs', known))).toEqual([
    'did you mean "pdf"?',
    'there are notes',
    'there are none',
  ]);
});
