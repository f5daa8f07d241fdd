import * as v from 'valibot';
import { limitsPerDay } from '../../core/records/limits-per-day.ts';
import type { PlaceLimits } from '../../core/spending/allot.ts';
import { logCount } from './run-log.ts';
import { ENVIRONMENT, METRICS } from './variables.ts';

/** The limits per day of an environment, in dollars, as its settings have them. */
export const WrittenLimits = v.object({
  usdPerDay: v.optional(v.number()),
  usdPerOwnerPerDay: v.optional(v.number()),
});

/** Those of a deployed function's environment. An alarm looks at the metric. */
export function functionLimits(): PlaceLimits {
  const written = v.parse(
    v.pipe(v.string(), v.parseJson(), WrittenLimits),
    process.env[ENVIRONMENT.limits] || '{}',
  );
  return {
    perDay: limitsPerDay(written) ?? {},
    nearlyReached: () => logCount(METRICS.nearLimits, 1),
  };
}
