import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextOccurrence } from '../../../../src/core/agent-schema/schedule/next-occurrence.ts';
import { parseExpression } from '../../../../src/core/agent-schema/schedule/parse-expression.ts';
import type { TimingKind } from '../../../../src/core/agent-schema/schedule/schedule.ts';
import { cases } from '../../../fixtures/cases.ts';

/** The next few occurrences, in UTC to the minute. */
function next(kind: TimingKind, written: string, timezone: string, after: string, count: number): string[] {
  const expression = parseExpression(kind, written);
  const found: string[] = [];
  let time = Date.parse(after);
  while (found.length < count) {
    const occurrence = nextOccurrence({ kind, expression, timezone }, time);
    if (occurrence === undefined) break;
    found.push(new Date(occurrence).toISOString().slice(0, 16));
    time = occurrence;
  }
  return found;
}

describe('days', () => {
  test.each([
    ['on weekdays', '0 9 ? * MON-FRI *', ['2026-01-01', '2026-01-02', '2026-01-05']],
    ['where Sunday is 1', '0 9 ? * 1,7 *', ['2026-01-03', '2026-01-04', '2026-01-10']],
    ['the last of the month', '0 9 L * ? *', ['2026-01-31', '2026-02-28', '2026-03-31']],
    ['the last of a leap year', '0 9 L 2 ? *', ['2026-02-28', '2027-02-28', '2028-02-29']],
    ['a weekday near one', '0 9 15W * ? *', ['2026-01-15', '2026-02-16', '2026-03-16']],
    ['a weekday near the first, never in the month before', '0 9 1W 8 ? *', ['2026-08-03', '2027-08-02']],
    ['a weekday near the last, never in the month after', '0 9 31W 1,5 ? *', ['2026-01-30', '2026-05-29']],
    ['only months that have them', '0 9 31 * ? *', ['2026-01-31', '2026-03-31', '2026-05-31']],
    ['the last Friday', '0 9 ? * 6L *', ['2026-01-30', '2026-02-27', '2026-03-27']],
    ['the second Tuesday', '0 9 ? * 3#2 *', ['2026-01-13', '2026-02-10', '2026-03-10']],
    ['the fifth Thursday', '0 9 ? * THU#5 *', ['2026-01-29', '2026-04-30', '2026-07-30']],
    ['the last of the week', '0 9 ? * L *', ['2026-01-03', '2026-01-10', '2026-01-17']],
    ['by steps', '0 9 1/10 * ? *', ['2026-01-01', '2026-01-11', '2026-01-21']],
    ['of a leap day', '0 9 29 2 ? *', ['2028-02-29', '2032-02-29']],
    ['of some years', '0 9 1 1 ? 2027/100', ['2027-01-01', '2127-01-01']],
    ['of years that are over, none', '0 9 * * ? 2025', []],
  ])('%s', (_title, cron, days) => {
    const found = next('cron', cron, 'UTC', '2026-01-01T00:00:00Z', days.length || 1);
    expect(found).toEqual(days.map((day) => `${day}T09:00`));
  });
});

describe('clocks', () => {
  test('of a time zone are gone by, over the change', () => {
    expect(next('cron', '0 9 ? * MON-FRI *', 'America/New_York', '2026-03-06T14:00:00Z', 2)).toEqual([
      '2026-03-09T13:00',
      '2026-03-10T13:00',
    ]);
    expect(next('cron', '30 0 * * ? *', 'Asia/Kolkata', '2026-01-01T00:00:00Z', 1)).toEqual([
      '2026-01-01T19:00',
    ]);
  });

  test('that are put forward skip what falls into the gap', () => {
    expect(next('cron', '30 2 * * ? *', 'Europe/Berlin', '2026-03-28T00:00:00Z', 2)).toEqual([
      '2026-03-28T01:30',
      '2026-03-30T00:30',
    ]);
    expect(next('cron', '0/30 1-3 * * ? *', 'Europe/Berlin', '2026-03-29T00:00:00Z', 3)).toEqual([
      '2026-03-29T00:30',
      '2026-03-29T01:00',
      '2026-03-29T01:30',
    ]);
    expect(next('at', '2026-03-29T02:30:00', 'Europe/Berlin', '2026-01-01T00:00:00Z', 1)).toEqual([]);
  });

  test('that are put back count an hour once', () => {
    expect(next('cron', '30 2 * * ? *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ]);
    expect(next('cron', '0/30 * * * ? *', 'Europe/Berlin', '2026-10-25T00:00:00Z', 3)).toEqual([
      '2026-10-25T00:30',
      '2026-10-25T02:00',
      '2026-10-25T02:30',
    ]);
    // in the middle of the hour that comes again
    expect(next('cron', '0/30 * * * ? *', 'Europe/Berlin', '2026-10-25T01:15:00Z', 1)).toEqual([
      '2026-10-25T02:00',
    ]);
  });

  test('that skip a whole day skip its occurrences', () => {
    expect(next('cron', '0 12 * * ? *', 'Pacific/Apia', '2011-12-29T00:00:00Z', 2)).toEqual([
      '2011-12-29T22:00',
      '2011-12-30T22:00',
    ]);
  });
});

test('a date comes once', () => {
  expect(next('at', '2026-07-01T09:00:00', 'Europe/Berlin', '2026-01-01T00:00:00Z', 2)).toEqual([
    '2026-07-01T07:00',
  ]);
  expect(next('at', '2026-07-01T09:00:00', 'Europe/Berlin', '2026-07-01T07:00:00Z', 1)).toEqual([]);
});

test('a rate has the same ticks everywhere', () => {
  expect(next('rate', '90 minutes', 'UTC', '2026-01-01T00:00:00Z', 2)).toEqual([
    '2026-01-01T01:30',
    '2026-01-01T03:00',
  ]);
  expect(next('rate', '1 day', 'Europe/Berlin', '2026-03-28T12:00:00Z', 2)).toEqual([
    '2026-03-29T00:00',
    '2026-03-30T00:00',
  ]);
});

const value = (min: number, max: number) => fc.integer({ min, max });
const range = (min: number, max: number) =>
  fc
    .tuple(value(min, max), value(min, max))
    .map(([one, other]) => [one, other].sort((a, b) => a - b).join('-'));
const list = (min: number, max: number, ...more: fc.Arbitrary<string>[]) =>
  fc.oneof(
    fc.constant('*'),
    value(min, max).map(String),
    fc
      .array(fc.oneof(value(min, max).map(String), range(min, max)), { minLength: 1, maxLength: 4 })
      .map(String),
    ...more,
  );
const steps = (min: number, max: number) =>
  fc
    .tuple(fc.oneof(fc.constant('*'), value(min, max).map(String), range(min, max)), value(1, max))
    .map((parts) => parts.join('/'));
const day = fc.oneof(
  list(1, 31, steps(1, 31)),
  fc.constant('L'),
  value(1, 31).map((nearest) => `${nearest}W`),
);
const weekday = fc.oneof(
  list(1, 7, fc.constant('L')),
  value(1, 7).map((last) => `${last}L`),
  fc.tuple(value(1, 7), value(1, 4)).map((parts) => parts.join('#')),
);
const cron = fc
  .record({
    minutes: list(0, 59, steps(0, 59)),
    hours: list(0, 23, steps(0, 23)),
    days: fc.oneof(
      day.map((day) => `${day} M ?`),
      weekday.map((weekday) => `? M ${weekday}`),
    ),
    // The longer months, so that every day occurs.
    month: fc.oneof(fc.constant('*'), fc.constantFrom('1,12', '3/2', '7-8')),
  })
  .map(({ minutes, hours, days, month }) => `${minutes} ${hours} ${days.replace('M', month)} *`);
const zone = fc.constantFrom(
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
);
/** Half of them within the two days before a clock is put forward or back. */
const changes = ['2026-03-29', '2026-10-25', '2026-03-08', '2026-11-01', '2026-04-05', '2026-10-04'];
const moment = fc.oneof(
  value(Date.UTC(2020, 0), Date.UTC(2040, 0)),
  fc
    .tuple(fc.constantFrom(...changes), value(-2 * 86_400_000, 86_400_000))
    .map(([day, ms]) => Date.parse(day) + ms),
);

test('the next occurrence is later, matches every field, and is the first that does', () => {
  fc.assert(
    fc.property(cron, zone, moment, (expression, timezone, after) => {
      const occurrence = nextOccurrence({ kind: 'cron', expression, timezone }, after) ?? NaN;
      expect(occurrence).toBeGreaterThan(after);
      expect(matches(expression, shownAt(timezone, occurrence))).toBe(true);
      expect(isRepeated(timezone, occurrence)).toBe(false);
      const firstMinute = Math.floor(after / 60_000) * 60_000 + 60_000;
      const step =
        occurrence - firstMinute < 10_000_000 ? 60_000 : Math.ceil((occurrence - firstMinute) / 6e6) * 6e4;
      for (let minute = firstMinute; minute < occurrence; minute += step) {
        if (matches(expression, shownAt(timezone, minute))) expect(isRepeated(timezone, minute)).toBe(true);
      }
    }),
    { numRuns: cases(400) },
  );
});

const clocks = new Map<string, Intl.DateTimeFormat>();

function shownAt(timezone: string, time: number): string {
  const options = { timeZone: timezone, dateStyle: 'short', timeStyle: 'short' } as const;
  const clock = clocks.get(timezone) ?? new Intl.DateTimeFormat('sv', options);
  clocks.set(timezone, clock);
  return clock.format(time);
}

/** Whether a clock that was put back shows this minute for the second time. */
function isRepeated(timezone: string, time: number): boolean {
  const shown = shownAt(timezone, time);
  return [30, 60].some((shift) => shownAt(timezone, time - shift * 60_000) === shown);
}

/** An independent look at what the clock shows. */
function matches(expression: string, shown: string): boolean {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = shown.split(/[- :]/).map(Number);
  const [minutes = '', hours = '', days = '', months = '', weekdays = ''] = expression.split(' ');
  return (
    has(minutes, minute, 0) &&
    has(hours, hour, 0) &&
    has(months, month, 1) &&
    (weekdays === '?' ? isDay(days, year, month, day) : isWeekday(weekdays, year, month, day))
  );
}

function has(field: string, shown: number, min: number): boolean {
  return field.split(',').some((part) => {
    const [range = '', step] = part.split('/');
    const [from = '', to] = range.split('-');
    const first = from === '*' ? min : Number(from);
    const last = from === '*' || (to === undefined && step !== undefined) ? Infinity : Number(to ?? from);
    return shown >= first && shown <= last && (shown - first) % Number(step ?? 1) === 0;
  });
}

function isDay(field: string, year: number, month: number, day: number): boolean {
  const length = new Date(Date.UTC(year, month, 0)).getUTCDate();
  if (field === 'L') return day === length;
  if (!field.endsWith('W')) return has(field, day, 1);
  const wanted = Number(field.slice(0, -1));
  const workdays = Array.from({ length }, (_, index) => index + 1).filter(
    (each) => ![1, 7].includes(weekdayOf(year, month, each)),
  );
  const nearest = workdays.toSorted((one, other) => Math.abs(one - wanted) - Math.abs(other - wanted))[0];
  return wanted <= length && day === nearest;
}

function isWeekday(field: string, year: number, month: number, day: number): boolean {
  const shown = weekdayOf(year, month, day);
  if (field === 'L') return shown === 7;
  if (field.endsWith('L')) {
    return shown === Number(field[0]) && day + 7 > new Date(Date.UTC(year, month, 0)).getUTCDate();
  }
  const [weekday = '', week] = field.split('#');
  return week === undefined
    ? has(field, shown, 1)
    : shown === Number(weekday) && Math.ceil(day / 7) === Number(week);
}

/** 1 for Sunday. */
function weekdayOf(year: number, month: number, day: number): number {
  return new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 1;
}
