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

test('a rate has the same ticks for everybody', () => {
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
const list = (min: number, max: number) =>
  fc.oneof(
    fc.constant('*'),
    value(min, max).map(String),
    fc.array(value(min, max), { minLength: 1 }).map(String),
  );
const cron = fc
  .record({
    minutes: list(0, 59),
    hours: list(0, 23),
    days: fc.oneof(
      list(1, 28).map((day) => `${day} M ?`),
      list(1, 7).map((day) => `? M ${day}`),
    ),
    month: list(1, 12),
  })
  .map(({ minutes, hours, days, month }) => `${minutes} ${hours} ${days.replace('M', month)} *`);
const zone = fc.constantFrom(
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
);
const moment = value(Date.UTC(2020, 0), Date.UTC(2040, 0));

test('the next occurrence is later, matches every field, and is the first that does', () => {
  fc.assert(
    fc.property(cron, zone, moment, (expression, timezone, after) => {
      const occurrence = nextOccurrence({ kind: 'cron', expression, timezone }, after) ?? NaN;
      expect(occurrence).toBeGreaterThan(after);
      expect(matches(expression, timezone, occurrence)).toBe(true);
      // A clock that is put back shows some minutes twice: what matches in between was shown before.
      const firstMinute = Math.floor(after / 60_000) * 60_000 + 60_000;
      for (
        let minute = firstMinute;
        minute < Math.min(occurrence, firstMinute + 7_200_000);
        minute += 60_000
      ) {
        if (matches(expression, timezone, minute)) {
          const shown = shownAt(timezone, minute);
          const earlier = [30, 60].some((shift) => shownAt(timezone, minute - shift * 60_000) === shown);
          expect(earlier).toBe(true);
        }
      }
    }),
    { numRuns: cases(200) },
  );
});

const clocks = new Map<string, Intl.DateTimeFormat>();

function shownAt(timezone: string, time: number): string {
  const options = { timeZone: timezone, dateStyle: 'short', timeStyle: 'short' } as const;
  const clock = clocks.get(timezone) ?? new Intl.DateTimeFormat('sv', options);
  clocks.set(timezone, clock);
  return clock.format(time);
}

/** An independent look at the clock. */
function matches(expression: string, timezone: string, time: number): boolean {
  const [, year, month, day, hour, minute] =
    /^(\d+)-(\d+)-(\d+) (\d+):(\d+)$/.exec(shownAt(timezone, time)) ?? [];
  const [minutes, hours, days, months, weekdays] = expression.split(' ');
  const weekday = new Date(`${year}-${month}-${day}T00:00:00Z`).getUTCDay() + 1;
  const has = (field: string | undefined, shown: unknown) =>
    field === '*' || field === '?' || (field ?? '').split(',').map(Number).includes(Number(shown));
  return (
    has(minutes, minute) && has(hours, hour) && has(days, day) && has(months, month) && has(weekdays, weekday)
  );
}
