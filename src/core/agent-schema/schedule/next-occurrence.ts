import { daysIn, parseCron, type Cron } from './cron.ts';
import type { Timing } from './schedule.ts';
import { toInstant, toWallTime, type WallTime } from './time-zone.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * When a schedule comes due next, in milliseconds since 1970, as EventBridge Scheduler has it: a time that the clock
 * skips in spring is skipped, and of an hour that it repeats in autumn only the first counts (docs.aws.amazon.com,
 * "Schedule types on EventBridge Scheduler"). A rate counts from 1970 on, so that everybody has the same ticks; the
 * service counts from the time at which it learns of the schedule.
 *
 * @param after the latest moment that is over
 * @returns undefined if it never does
 */
export function nextOccurrence({ kind, expression, timezone }: Timing, after: number): number | undefined {
  switch (kind) {
    case 'cron':
      return nextOfCron(parseCron(expression), timezone, after);
    case 'rate': {
      const period = periodOf(expression);
      return (Math.floor(after / period) + 1) * period;
    }
    case 'at': {
      const wall = wallTimeOf(expression);
      const instant = wall === undefined ? undefined : toInstant(wall, timezone);
      return instant !== undefined && instant > after ? instant : undefined;
    }
  }
}

function nextOfCron(cron: Cron, zone: string, after: number): number | undefined {
  // Of two times that a clock shows, the later is shown first later, even where an hour is repeated.
  const now = toWallTime(after, zone);
  for (const day of daysOf(cron, now)) {
    for (const hour of cron.hours) {
      if (day + (hour + 1) * HOUR_MS <= now) continue;
      for (const minute of cron.minutes) {
        const wall = day + hour * HOUR_MS + minute * MINUTE_MS;
        const instant = wall > now ? toInstant(wall, zone) : undefined;
        if (instant !== undefined && instant > after) return instant;
      }
    }
  }
  return undefined;
}

/** The days of a schedule from the one of `from` on, each as its midnight. */
function* daysOf({ years, months, isDay }: Cron, from: WallTime): Generator<WallTime> {
  const first = Math.floor(from / DAY_MS) * DAY_MS;
  for (const year of years) {
    if (Date.UTC(year + 1, 0) <= first) continue;
    for (const month of months) {
      if (Date.UTC(year, month) <= first) continue;
      for (let day = 1; day <= daysIn(year, month); day++) {
        const midnight = Date.UTC(year, month - 1, day);
        if (midnight >= first && isDay(year, month, day)) yield midnight;
      }
    }
  }
}

function periodOf(expression: string): number {
  const [value, unit = ''] = expression.split(' ');
  const length = unit.startsWith('day') ? DAY_MS : unit.startsWith('hour') ? HOUR_MS : MINUTE_MS;
  return Number(value) * length;
}

/** Undefined for a date or a time that does not exist. */
function wallTimeOf(expression: string): WallTime | undefined {
  const wall = Date.parse(`${expression}Z`);
  // Date.parse makes 3 March of 31 February.
  const exists = !Number.isNaN(wall) && new Date(wall).toISOString().startsWith(expression);
  return exists ? wall : undefined;
}
