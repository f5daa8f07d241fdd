import * as v from 'valibot';

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
