import type { DayLimit } from '../records/day-limits.ts';
import type { RunReader } from '../records/ports.ts';
import { dayAt } from '../records/spent.ts';
import type { Instant } from '../records/times.ts';
import { heldOn } from '../spending/allot.ts';
import type { DayLimitReport } from './day-limit-report.ts';

/** How much of limits is gone today. */
export function readDayLimits(
  limits: readonly DayLimit[],
  records: Pick<RunReader, 'dayShards'>,
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
