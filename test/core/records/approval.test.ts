import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  changesText,
  denialText,
  isApproved,
  parseDecision,
  shownArguments,
} from '../../../src/core/records/approval.ts';

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

test('only an approval in time is one, and whatever else came of the question is told', () => {
  const at = '2026-01-01T00:00:00.000Z';
  const ends = [
    undefined,
    { at },
    { at, decision: 'approve' as const },
    { at, decision: 'always' as const },
    { at, decision: 'deny' as const },
    { at, decision: 'deny' as const, reason: 'not now' },
  ];
  expect(ends.map((end) => [isApproved(end), denialText('deed', end ?? {})])).toEqual([
    [false, 'Permission denied: "deed" needs approval and nobody gave it in time.'],
    [false, 'Permission denied: "deed" needs approval and nobody gave it in time.'],
    [true, expect.any(String)],
    [true, expect.any(String)],
    [false, 'Permission denied: "deed" was denied by the user.'],
    [false, 'Permission denied: "deed" was denied by the user: not now'],
  ]);
});

test('changes name what was added, left out and replaced, and nothing else', () => {
  expect(changesText({ a: 1, b: [1], c: 'x' }, { b: [1], c: 'y', constructor: null })).toBe(
    '[arguments changed by the user: a: 1 → (none); c: "x" → "y"; constructor: (none) → null]\n\n',
  );
  expect(changesText({ a: { b: 1 } }, { a: { b: 1 } })).toBe('');
  const long = 'x'.repeat(199);
  expect(changesText({ a: long.slice(1) }, { a: long })).toBe(
    `[arguments changed by the user: a: "${long.slice(1)}" → "${long}… (201 characters)]\n\n`,
  );
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
  const list = [...Array.from({ length: 9 }, () => 'x'.repeat(2_000)), 'x'.repeat(1_900)];
  const whole = Object.fromEntries(Object.entries(list));
  const most = { ...whole, a: 'x'.repeat(20_000 - JSON.stringify({ ...whole, a: '' }).length) };
  const over = { ...most, a: `${most.a}x` };
  expect([shownArguments(most), shownArguments(over)]).toEqual([
    most,
    { '…': '20001 characters; see: cadre show <run> --messages' },
  ]);
  const text = 'x'.repeat(2_000);
  expect(shownArguments({ a: text, b: `${text}x`, c: text.repeat(10) })).toEqual({
    a: text,
    b: `${text}… [1 characters left out]`,
    c: `${text}… [18000 characters left out]`,
  });
});
