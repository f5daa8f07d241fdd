import type { Instant } from './times.ts';

const UNITS = new Map([
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
  ['w', 604_800_000],
]);

/** `30d` and the like, in milliseconds; undefined for a text that is nothing of the kind. */
export function ageIn(text: string): number | undefined {
  const [, number = '', unit = ''] = /^(\d{1,6})([a-z])$/.exec(text) ?? [];
  const size = UNITS.get(unit);
  return size === undefined ? undefined : Number(number) * size;
}

/** A moment as people write it: so long ago (`7d`), a day (`2026-11-23`, in UTC), or ISO 8601; undefined for another text. */
export function momentIn(text: string, now: Instant): Instant | undefined {
  const age = ageIn(text);
  if (age !== undefined) return now - age;
  const [, day = ''] = /^(\d{4}-\d\d-\d\d)(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.exec(text) ?? [];
  const at = isDay(day) ? Date.parse(text) : NaN;
  return Number.isNaN(at) ? undefined : at;
}

/** JavaScript counts on into the next month. */
function isDay(text: string): boolean {
  const at = Date.parse(text);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}
