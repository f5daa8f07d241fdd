import type { LimitsPerDay } from '../../core/records/limits-per-day.ts';
import type { PlaceLimits } from '../../core/spending/allot.ts';
import { logCount } from './run-log.ts';
import { ENVIRONMENT, METRICS } from './variables.ts';

/** The limits per day of a deployed function's environment. An alarm looks at the metric. */
export function functionLimits(): PlaceLimits {
  const perDay: LimitsPerDay = JSON.parse(process.env[ENVIRONMENT.limits] ?? '{}');
  return { perDay, nearlyReached: () => logCount(METRICS.nearLimits, 1) };
}
