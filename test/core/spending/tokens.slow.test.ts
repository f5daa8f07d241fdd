import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tokenizerOf } from '../../../src/core/spending/tokenizer.ts';
import { CAPITALS, LOWER_CASE, PUNCTUATION, WORDS } from '../../../src/core/spending/fragments.ts';
import { readFragments, tokensAtMost } from '../../../src/core/spending/tokens.ts';
import { KNOWN, OTHERS, type Encode } from '../../fixtures/tokenizers.ts';
import { hardTexts, ordinaryTexts } from './texts.ts';
import { anyText } from '../../fixtures/random-texts.ts';

const known = tokenizerOf('openai/gpt-4o');
const unknown = tokenizerOf('somewhere/else');
const texts = [...[300, 6_000].flatMap(ordinaryTexts), ...hardTexts()];

/** SentencePiece begins a text with a blank of its own; what an estimate adds for each text covers that. */
const AROUND_TEXT = 2;

/** The texts that come to more than an estimate. */
function above(tokenizers: (typeof known)[], encode: Encode) {
  return texts.flatMap(({ kind, text }) => {
    const tokens = encode(text).length;
    return tokenizers
      .map((tokenizer) => ({ kind, tokens, atMost: tokensAtMost(text, tokenizer) }))
      .filter(({ atMost }) => tokens > atMost + AROUND_TEXT);
  });
}

describe.each(Object.entries(KNOWN))('the most that a text comes to in %s', (_, encode) => {
  test('is never less than it comes to', () => {
    expect(above([known, unknown], encode)).toEqual([]);
  });

  test('is near it for English, code and data', () => {
    const ratios = ordinaryTexts(5_000).map(({ kind, text }) => ({
      kind,
      ratio: tokensAtMost(text, known) / encode(text).length,
    }));
    expect(ratios.filter(({ ratio }) => ratio > 1.55)).toEqual([]);
    expect(ratios.reduce((sum, { ratio }) => sum + ratio, 0) / ratios.length).toBeLessThan(1.35);
  });

  test.each(Object.entries({ WORDS, LOWER_CASE, CAPITALS, PUNCTUATION }))(
    'is one for each of the fragments: %s',
    (name, list) => {
      const forms = readFragments(list).flatMap((text) =>
        name === 'WORDS' ? [text, text.charAt(0).toUpperCase() + text.slice(1)] : [text],
      );
      const others = forms.flatMap((text) => [text, ` ${text}`]).filter((text) => encode(text).length !== 1);
      expect(others).toEqual([]);
    },
  );
});

test.each(Object.entries(OTHERS))('a tokenizer that is not known comes to no more: %s', (_, encode) => {
  expect(above([unknown], encode)).toEqual([]);
});

test('holds for any text', () => {
  const parts = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    anyText(),
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
      const atMost = tokensAtMost(text, known) + AROUND_TEXT;
      for (const [name, encode] of Object.entries(KNOWN)) {
        expect({ name, within: encode(text).length <= atMost }).toEqual({ name, within: true });
      }
    }),
    { numRuns: 150 },
  );
});
