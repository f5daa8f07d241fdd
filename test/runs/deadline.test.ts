import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { childDeadline, ownDeadline } from '../../src/runs/deadline.ts';

describe('the deadline of a child', () => {
  test.each([
    ['its own timeout where that is nearer', [30, 0], 130_000],
    ["its parent's limit for it where that is nearer", [0, 20], 120_000],
    ['what its parent has left, less a margin', [0, 0], 190_000],
    ['never later than its parent can use', [500, 400], 190_000],
  ])('is %s', (_, limits, expected) => {
    expect(ownDeadline(100_000, childDeadline(100_000, 200_000), ...limits)).toBe(expected);
  });

  test('counts from its own start on, however late that is', () => {
    expect(ownDeadline(150_000, childDeadline(100_000, 200_000), 30)).toBe(180_000);
  });

  test('leaves every parent time to answer, five levels down', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1_000, max: 10 ** 9 }),
        fc.array(fc.nat(1000), { minLength: 5, maxLength: 5 }),
        (left, timeouts) => {
          let deadline = left;
          for (const timeout of timeouts) {
            const child = ownDeadline(0, childDeadline(0, deadline), timeout);
            expect(child).toBeLessThan(deadline);
            expect(child).toBeGreaterThan(0);
            deadline = child;
          }
        },
      ),
    );
  });
});
