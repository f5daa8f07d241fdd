import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cooldown, retryDelay } from '../../../src/core/turn/retry.ts';
import type { RetryPolicy } from '../../../src/core/records/opened.ts';
import { AgentError, ModelError, type ModelErrorCategory } from '../../../src/errors.ts';

const policy = (changed: Partial<RetryPolicy> = {}): RetryPolicy => ({
  maxRetries: 5,
  backoff: 'exponential',
  initialDelayMs: 500,
  maxDelayMs: 30_000,
  ...changed,
});
const busy = new ModelError('overloaded', 'busy');
const ALL_OF_IT = 1;

describe('the delay before the next attempt', () => {
  test.each([
    ['exponential', [500, 1000, 2000, 4000, 8000]],
    ['linear', [500, 1000, 1500, 2000, 2500]],
    ['fixed', [500, 500, 500, 500, 500]],
  ] as const)('grows: %s', (backoff, delays) => {
    expect(
      [1, 2, 3, 4, 5].map((attempt) => retryDelay(busy, policy({ backoff }), attempt, ALL_OF_IT)),
    ).toEqual(delays);
  });

  test('ends at the longest delay and at the last retry', () => {
    expect(retryDelay(busy, policy({ maxDelayMs: 900 }), 5, ALL_OF_IT)).toBe(900);
    expect(retryDelay(busy, policy(), 6, ALL_OF_IT)).toBeUndefined();
    expect(retryDelay(busy, policy({ maxRetries: 0 }), 1, ALL_OF_IT)).toBeUndefined();
  });

  test('is at least what the API asked for', () => {
    const patient = new ModelError('rate_limit', 'slow down', { retryAfterMs: 7_000 });
    expect(retryDelay(patient, policy(), 1, 0)).toBe(7_000);
  });

  test.each([
    ['rate_limit', true],
    ['overloaded', true],
    ['server', true],
    ['timeout', true],
    ['auth', false],
    ['bad_request', false],
  ] as [ModelErrorCategory, boolean][])('is there for %s: %s', (category, retried) => {
    expect(retryDelay(new ModelError(category, 'x'), policy(), 1, 0) !== undefined).toBe(retried);
  });

  test.each([
    'You exceeded your current quota, please check your plan and billing details',
    'Your credit balance is too low',
    'you have reached your spend limit',
  ])('is not there where money has run out: %s', (text) => {
    expect(retryDelay(new ModelError('rate_limit', text), policy(), 1, 0)).toBeUndefined();
  });

  test('is there where a limit of a minute was reached and more can be bought, as Groq says', () => {
    const text =
      'Rate limit reached for model `x` on tokens per minute (TPM): Limit 6000, Used 5034, Requested 1443. Please try ' +
      'again in 4.77s. Need more tokens? Upgrade to Dev Tier today at https://console.groq.com/settings/billing';
    const thrown = new ModelError('rate_limit', text, { retryAfterMs: 5_000 });
    expect(retryDelay(thrown, policy(), 1, 0)).toBe(5_000);
  });

  test('is not there for a fault of ours', () => {
    expect(retryDelay(new AgentError('no'), policy(), 1, 0)).toBeUndefined();
  });

  test('is between half and all of what the policy says, by chance', () => {
    const policies = fc.record({
      maxRetries: fc.constant(9),
      backoff: fc.constantFrom('exponential' as const, 'linear' as const, 'fixed' as const),
      initialDelayMs: fc.nat(5_000),
      maxDelayMs: fc.nat(60_000),
    });
    fc.assert(
      fc.property(
        policies,
        fc.integer({ min: 1, max: 9 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (retry, attempt, random) => {
          const most = retryDelay(busy, retry, attempt, ALL_OF_IT) ?? Number.NaN;
          const delay = retryDelay(busy, retry, attempt, random) ?? Number.NaN;
          expect(delay).toBeGreaterThanOrEqual(most / 2);
          expect(delay).toBeLessThanOrEqual(most);
          expect(most).toBeLessThanOrEqual(retry.maxDelayMs);
        },
      ),
    );
  });
});

test('only a throttled API is left alone by others, and for a minute at most', () => {
  expect(cooldown(busy, 500)).toBe(500);
  expect(cooldown(new ModelError('rate_limit', 'x'), 600_000)).toBe(60_000);
  expect(cooldown(new ModelError('server', 'x'), 500)).toBe(0);
});
