import { ModelError, type ModelErrorCategory } from '../../errors.ts';
import { isQuiet } from '../records/deadline.ts';
import type { RetryPolicy } from '../records/opened.ts';

/**
 * When a failed request to a model's API is sent again: only for transient faults, never for a spend limit. Waiting is
 * a state of the machine, not a function that sleeps.
 */
export const PASSING: readonly ModelErrorCategory[] = ['rate_limit', 'overloaded', 'server', 'timeout'];

/**
 * Providers also answer 429 when the account has run out of money, which waiting does not fix. One that says how long to
 * wait has not: Groq and Gemini speak of billing and quotas whenever a minute's limit is reached.
 */
const SPENT = /\b(quota|billing|credits?|spend(ing)? limit|payment)\b/i;

/** Sibling runs ask again after this time, even if the API wants to be left alone for longer. */
const LONGEST_COOLDOWN_MS = 60_000;

/**
 * How long to wait before the next attempt, in milliseconds; undefined if there is none.
 * @param attempt how many attempts have failed so far, from 1
 * @param random from 0 up to 1: it decides half of the delay, so that siblings do not retry at the same time
 */
export function retryDelay(
  thrown: unknown,
  retry: RetryPolicy,
  attempt: number,
  random: number,
): number | undefined {
  if (!(thrown instanceof ModelError) || attempt > retry.maxRetries || !passes(thrown)) return undefined;
  const growth = { exponential: 2 ** (attempt - 1), linear: attempt, fixed: 1 }[retry.backoff];
  const delay = Math.min(retry.maxDelayMs, retry.initialDelayMs * growth);
  return Math.max(Math.ceil(delay * (0.5 + random / 2)), thrown.details.retryAfterMs ?? 0);
}

/** How long all runs that use the model leave its API alone after a failure; 0 if it concerns only one run. */
export function cooldown(thrown: unknown, delay: number): number {
  const throttled =
    thrown instanceof ModelError && (thrown.category === 'rate_limit' || thrown.category === 'overloaded');
  return throttled ? Math.min(LONGEST_COOLDOWN_MS, delay) : 0;
}

function passes({ category, message, details }: ModelError): boolean {
  if (isQuiet(message)) return false;
  const isSpent = category === 'rate_limit' && details.retryAfterMs === undefined && SPENT.test(message);
  return PASSING.includes(category) && !isSpent;
}
