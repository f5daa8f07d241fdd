import { ScheduleError } from './schedule.ts';

/** A wall clock's time is written as the milliseconds that the same clock would show in UTC. */
export type WallTime = number;

/** Longer than any clock is put forward or back at once. */
const A_DAY_MS = 86_400_000;

const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * Checks that a time zone exists in the IANA database under exactly this name: EventBridge Scheduler knows no others.
 * @throws {ScheduleError}
 */
export function checkTimeZone(name: string): void {
  let known: string;
  try {
    known = formatIn(name).resolvedOptions().timeZone;
  } catch (error) {
    throw new ScheduleError('there is no such time zone; use a name such as Europe/Berlin or UTC', {
      cause: error,
    });
  }
  const isOffset = /^[+-]/.test(name);
  if (isOffset)
    throw new ScheduleError('an offset is not a time zone; use a name such as Europe/Berlin or UTC');
  if (known !== name && known.toLowerCase() === name.toLowerCase()) {
    throw new ScheduleError(`write ${known}`);
  }
}

/** The time that a clock in the zone shows. */
export function toWallTime(instant: number, zone: string): WallTime {
  return instant + offsetAt(instant, zone);
}

/** When a clock in the zone first shows the time; undefined if it is put forward across it. */
export function toInstant(wall: WallTime, zone: string): number | undefined {
  const before = wall - offsetAt(wall - A_DAY_MS, zone);
  if (toWallTime(before, zone) === wall) return before;
  const after = wall - offsetAt(wall + A_DAY_MS, zone);
  return toWallTime(after, zone) === wall ? after : undefined;
}

function offsetAt(instant: number, zone: string): number {
  if (zone === 'UTC') return 0;
  const parts = new Map(
    formatIn(zone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  const wall = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  );
  return wall - Math.floor(instant / 1000) * 1000;
}

function formatIn(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(zone, format);
  }
  return format;
}
