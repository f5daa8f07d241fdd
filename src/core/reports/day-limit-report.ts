import * as v from 'valibot';
import type { DayLimit } from '../records/limits-per-day.ts';
import type { RunReader } from '../records/ports.ts';
import { dayAt } from '../records/spent.ts';
import type { Instant } from '../records/times.ts';
import { heldOn } from '../spending/allot.ts';

/** How much of a limit per day is gone. */
export const DayLimitReport = v.object({
  key: v.pipe(v.picklist(['usd_per_day', 'usd_per_owner_per_day']), v.description('The key that sets it.')),
  of: v.pipe(v.string(), v.description('Whose it is, in words.')),
  limit_usd: v.number(),
  used_usd: v.pipe(
    v.number(),
    v.description('Dollars of today (UTC) that are spent, or that runs at work hold.'),
  ),
});
export type DayLimitReport = v.InferOutput<typeof DayLimitReport>;

/** How much of limits is gone today. */
export function readDayLimits(
  limits: readonly DayLimit[],
  records: Pick<RunReader, 'dayShard'>,
  now: Instant,
): Promise<DayLimitReport[]> {
  return Promise.all(
    limits.map(async (limit) => ({
      key: limit.key,
      of: limit.of,
      limit_usd: limit.nanoUsd / 1e9,
      used_usd: (await heldOn(dayAt(now), limit, records)) / 1e9,
    })),
  );
}
