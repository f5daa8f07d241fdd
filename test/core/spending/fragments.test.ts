import { expect, test } from 'vitest';
import * as lists from '../../../src/core/spending/fragments.ts';
import { readFragments } from '../../../src/core/spending/tokens.ts';

// A part that is missing or stands elsewhere makes other fragments of all that come after it.
test('the lists of fragments have as many as were chosen, each once, in alphabetical order', () => {
  const read = Object.entries(lists).map(([name, list]) => [name, readFragments(list)] as const);
  expect(Object.fromEntries(read.map(([name, fragments]) => [name, fragments.length]))).toEqual({
    WORDS: 3_000,
    LOWER_CASE: 600,
    CAPITALS: 400,
    PUNCTUATION: 300,
    AFTER_BLANK: 3_000,
    AFTER_MARK: 700,
  });
  for (const [, fragments] of read) expect(fragments).toEqual([...new Set(fragments)].sort());
});
