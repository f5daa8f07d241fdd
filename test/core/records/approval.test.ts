import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changesText, parseDecision, shownArguments } from '../../../src/core/records/approval.ts';

describe('a decision', () => {
  test.each([
    ['approve', { decision: 'approve' }],
    [' ALWAYS\n', { decision: 'always' }],
    ['deny', { decision: 'deny' }],
    ['Deny: not\nnow', { decision: 'deny', reason: 'not\nnow' }],
    ['deny, since it is late', { decision: 'deny', reason: 'since it is late' }],
    ['approve it', undefined],
    ['always deny', undefined],
    ['denying', undefined],
    ['approved', undefined],
    ['yes', undefined],
    ['', undefined],
  ])('in %j', (text, decision) => {
    expect(parseDecision(text)).toEqual(decision);
  });

  test('approves for no other text than the two words', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.constantFrom('approve', 'always', 'deny')), (text) => {
        const { decision } = parseDecision(text) ?? {};
        const isWord = ['approve', 'always'].includes(
          text
            .trim()
            .toLowerCase()
            .replace(/[\s:,]+$/, ''),
        );
        expect(decision === 'approve' || decision === 'always').toBe(isWord);
      }),
    );
  });
});

test('changes name what was added, left out and replaced, and nothing else', () => {
  expect(changesText({ a: 1, b: [1], c: 'x' }, { b: [1], c: 'y', constructor: null })).toBe(
    '[arguments changed by the user: a: 1 → (none); c: "x" → "y"; constructor: (none) → null]\n\n',
  );
  expect(changesText({ a: { b: 1 } }, { a: { b: 1 } })).toBe('');
});

test('arguments are shown whole where they are short, and never at more than 20,000 characters', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })),
      fc.array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 30 }),
      (given, lengths) => {
        const all = {
          ...given,
          ...Object.fromEntries(lengths.map((length, at) => [`x${at}`, '\n'.repeat(length)])),
        };
        const shown = shownArguments(all);
        const isShort = JSON.stringify(all).length <= 20_000;
        expect(shown === all).toBe(isShort);
        expect(JSON.stringify(shown).length).toBeLessThanOrEqual(20_000);
      },
    ),
  );
  expect(shownArguments({ path: 'a', content: 'x'.repeat(30_000) })).toEqual({
    path: 'a',
    content: `${'x'.repeat(2_000)}… [28000 characters left out]`,
  });
});
