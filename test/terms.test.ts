import { expect, test } from 'vitest';
import { comparable, countFound, hasWords, termsOf } from '../src/terms.ts';
import { wordsIn } from '../src/core/records/words.ts';

const COMPOSED = 'Caf\u00e9 Z\u00fcrich';
const DECOMPOSED = 'Cafe\u0301 Zu\u0308rich';

test('words are found however their letters were typed', () => {
  expect(termsOf(DECOMPOSED)).toEqual(termsOf(COMPOSED));
  expect(
    [COMPOSED, DECOMPOSED].map((text) => countFound(termsOf(DECOMPOSED), wordsIn([{ text }]).words)),
  ).toEqual([2, 2]);
  // Of a long text each word is kept once.
  const long = `${DECOMPOSED}${' '.repeat(4_000)}`;
  expect(wordsIn([{ text: long }])).toEqual({ words: comparable(COMPOSED), isList: true });
});

test('a text is parted at marks and blanks, and not within words', () => {
  expect(termsOf('Fix src/a_b.ts, fix «naïve» 東京！ ')).toEqual([
    'fix',
    'src',
    'a_b',
    'ts',
    'naïve',
    '東京！',
  ]);
});

test('all words that were typed have to occur, in any order', () => {
  expect(hasWords('review-docs agent', 'AGENT docs')).toBe(true);
  expect(hasWords('review-docs agent', 'agent code')).toBe(false);
  expect(hasWords('anything', ' ')).toBe(true);
});
