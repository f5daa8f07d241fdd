import * as v from 'valibot';
import { limitsPerDay } from '../../core/records/limits-per-day.ts';
import type { PlaceLimits } from '../../core/spending/allot.ts';
import { ENVIRONMENT } from './variables.ts';

/** As the settings of an environment have them. */
const Written = v.object({ usdPerDay: v.optional(v.number()), usdPerOwnerPerDay: v.optional(v.number()) });

/** The limits per day of a deployed function's environment. */
export function functionLimits(): PlaceLimits {
  const written: unknown = JSON.parse(process.env[ENVIRONMENT.limits] || '{}');
  return { perDay: limitsPerDay(v.parse(Written, written)) ?? {} };
}
