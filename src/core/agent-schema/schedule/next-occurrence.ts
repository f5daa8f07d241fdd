import { Cron, type CronOptions } from 'croner';
import type { Timing } from './schedule.ts';
import { toInstant, toWallTime, type WallTime } from './time-zone.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * When a schedule comes due next, in milliseconds since 1970, by the rules of EventBridge Scheduler: a time that the
 * clock skips in spring is skipped, and of an hour that it repeats in autumn only the first counts
 * (docs.aws.amazon.com, "Schedule types on EventBridge Scheduler"). A rate counts from 1970, so that its ticks are the
 * same everywhere; the service counts from the time at which it learns of the schedule.
 * @param after the latest moment that is over
 * @returns undefined if there is none
 */
export function nextOccurrence({ kind, expression, timezone }: Timing, after: number): number | undefined {
  switch (kind) {
    case 'cron':
      return nextOfCron(expression, timezone, after);
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

/**
 * croner runs on UTC, which never changes. Where the zone's clock is put forward or back, EventBridge's rules decide,
 * which differ from croner's.
 */
function nextOfCron(expression: string, zone: string, after: number): number | undefined {
  const cron = new Cron(toPattern(expression), OPTIONS);
  // Later wall times come later, even where an hour is repeated.
  let wall = cron.nextRun(new Date(toWallTime(after, zone)));
  while (wall !== null) {
    const instant = toInstant(wall.getTime(), zone);
    if (instant !== undefined && instant > after) return instant;
    wall = cron.nextRun(wall);
  }
  return undefined;
}

/** Sunday is 1, `0/15` is a range, and the service's years end with 2199. */
const OPTIONS: CronOptions = {
  mode: '7-part',
  timezone: 'UTC',
  alternativeWeekdays: true,
  sloppyRanges: true,
  stopAt: '2200-01-01T00:00:00',
};

/** In croner's spelling: with seconds, Saturday by its number, and years that count from the service's first. */
function toPattern(expression: string): string {
  const [minutes, hours, day, month, weekday, year = ''] = expression.split(' ');
  const days = `${day} ${month} ${weekday === 'L' ? '7' : weekday}`;
  return `0 ${minutes} ${hours} ${days} ${year.replaceAll('*/', '1970/')}`;
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
