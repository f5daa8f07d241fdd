import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tokenizerOf } from '../../src/budget/tokenizer.ts';
import { tokensAtMost } from '../../src/budget/tokens.ts';
import { KNOWN, OTHERS, type Encode } from '../fixtures/tokenizers.ts';
import { hardTexts, ordinaryTexts } from './texts.ts';

const known = tokenizerOf('openai/gpt-4o');
const unknown = tokenizerOf('somewhere/else');
const texts = [...[300, 3_000, 20_000].flatMap(ordinaryTexts), ...hardTexts()];

/** The estimate by what the text comes to, for each text. */
function ratios(encode: Encode, tokenizer: typeof known, samples = texts) {
  return samples.map(({ kind, text }) => ({
    kind,
    ratio: tokensAtMost(text, tokenizer) / encode(text).length,
  }));
}

describe.each(Object.entries(KNOWN))('what a text comes to at most in %s', (_, encode) => {
  test('is never less than it comes to', () => {
    expect(ratios(encode, known).filter(({ ratio }) => ratio < 1)).toEqual([]);
    expect(ratios(encode, unknown).filter(({ ratio }) => ratio < 1)).toEqual([]);
  });

  test('is less than 1.45 times as much for English, code and data', () => {
    const ordinary = ratios(encode, known, ordinaryTexts(5_000));
    expect(ordinary.filter(({ ratio }) => ratio > 1.45)).toEqual([]);
  });
});

test.each(Object.entries(OTHERS))('a tokenizer that is not known comes to no more: %s', (_, encode) => {
  expect(ratios(encode, unknown).filter(({ ratio }) => ratio < 1)).toEqual([]);
});

test('holds for any text', () => {
  const parts = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme-ascii' }),
    fc.json(),
    fc.lorem(),
    fc
      .constantFrom(...texts.map(({ text }) => text))
      .chain((text) => fc.nat(text.length).map((start) => text.slice(start, start + 80))),
  );
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 12 }), fc.constantFrom('', ' ', '\n'), (pieces, glue) => {
      const text = pieces.join(glue).toWellFormed();
      const atMost = tokensAtMost(text, known) + ROUNDING;
      for (const [name, encode] of Object.entries(KNOWN)) {
        expect({ name, within: encode(text).length <= atMost }).toEqual({ name, within: true });
      }
    }),
    { numRuns: 300 },
  );
});

/** What is around a message in the estimate of a prompt is more than a short text can be off by. */
const ROUNDING = 8;
