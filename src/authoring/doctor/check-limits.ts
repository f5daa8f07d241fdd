import { envOption } from '../../env-option.ts';
import { dayLimitsOf } from '../../core/records/day-limits.ts';
import type { LimitsPerDay } from '../../core/records/limits-per-day.ts';
import type { RunReader } from '../../core/records/ports.ts';
import { dayAt } from '../../core/records/spent.ts';
import { heldOn, NEAR } from '../../core/spending/allot.ts';
import { check, ok, warning, wrong, type Finding } from './finding.ts';

/**
 * How much of a place's limit per day is gone: where all of it is, no run starts.
 * @param now milliseconds since 1970
 * @param env the environment, if it is one
 * @returns a finding for each limit that holds for everybody together
 */
export async function checkLimits(
  perDay: LimitsPerDay,
  records: Pick<RunReader, 'dayShards'>,
  now: number,
  env?: string,
): Promise<Finding[]> {
  const limits = dayLimitsOf({ agent: '' }, perDay);
  return Promise.all(
    limits.map((limit) =>
      check(limit.key, async () => {
        const used = (await heldOn(dayAt(now), limit, records)) / 1e9;
        const most = limit.nanoUsd / 1e9;
        const found = `$${used.toFixed(2)} of $${most.toFixed(2)} spent or held by agents at work today (UTC)`;
        if (used >= most) return wrong(found, 'no run starts before midnight (UTC): raise the limit');
        if (used >= NEAR * most)
          return warning(found, `raise the limit, or see what costs so much: cadre costs${envOption(env)}`);
        return ok(found);
      }),
    ),
  );
}
