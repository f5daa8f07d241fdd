import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  differenceInterval,
  passAt,
  passHat,
  quantile,
  rateInterval,
} from '../../../src/authoring/eval/statistics.ts';

const rate = fc.integer({ min: 0, max: 4 }).map((passed) => passed / 4);

test('the interval of a rate is that of the published examples', () => {
  // Wilson's interval of 8 in 10 and of 0 in 10 (L. Brown and others, Interval Estimation, 2001).
  const eight = rateInterval([1, 1, 1, 1, 1, 1, 1, 1, 0, 0]);
  expect([eight.low.toFixed(3), eight.high.toFixed(3)]).toEqual(['0.490', '0.943']);
  const none = rateInterval(Array.from({ length: 10 }, () => 0));
  expect([none.low, none.high.toFixed(3)]).toEqual([0, '0.278']);
});

test('the interval of a difference contains it, turns around with it, and knows that the cases are the same', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(rate, rate), { minLength: 1 }), (pairs) => {
      const from = pairs.map(([before]) => before);
      const to = pairs.map(([, after]) => after);
      const there = differenceInterval(from, to);
      const back = differenceInterval(to, from);
      expect(there.low).toBeLessThanOrEqual(there.difference + 1e-12);
      expect(there.high).toBeGreaterThanOrEqual(there.difference - 1e-12);
      expect(back.low).toBeCloseTo(-there.high, 10);
      expect(back.high).toBeCloseTo(-there.low, 10);
    }),
  );
  // 20 cases of which the second fails 6 more: a difference of unrelated samples would not exclude 0 so clearly.
  const from = Array.from({ length: 20 }, (_, index) => (index < 14 ? 1 : 0));
  const to = Array.from({ length: 20 }, (_, index) => (index < 8 ? 1 : 0));
  const paired = differenceInterval(from, to);
  const unrelated = differenceInterval(from, to.toReversed());
  expect(paired.high).toBeLessThan(0);
  expect(unrelated.high).toBeGreaterThan(0);
});

test('pass@k and pass^k are what counting all ways to draw k tries gives', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }), fc.nat(6), (tries, extra) => {
      const k = 1 + (extra % tries.length);
      const drawn = subsets(tries, k);
      const passed = tries.filter(Boolean).length;
      const some = drawn.filter((each) => each.some(Boolean)).length / drawn.length;
      const all = drawn.filter((each) => each.every(Boolean)).length / drawn.length;
      expect(passAt(k, tries.length, passed)).toBeCloseTo(some, 10);
      expect(passHat(k, tries.length, passed)).toBeCloseTo(all, 10);
    }),
  );
});

test('a quantile is one of the values', () => {
  expect(quantile([], 0.95)).toBeNull();
  expect(quantile([3, 1, 2], 0.5)).toBe(2);
  expect(
    quantile(
      Array.from({ length: 100 }, (_, index) => index + 1),
      0.95,
    ),
  ).toBe(95);
});

function subsets<T>(all: readonly T[], size: number): T[][] {
  const [first, ...rest] = all;
  if (size === 0) return [[]];
  if (first === undefined) return [];
  return [...subsets(rest, size - 1).map((each) => [first, ...each]), ...subsets(rest, size)];
}
