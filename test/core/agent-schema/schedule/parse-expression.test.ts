import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseExpression } from '../../../../src/core/agent-schema/schedule/parse-expression.ts';
import {
  ScheduleError,
  toSchedulerExpression,
  type TimingKind,
} from '../../../../src/core/agent-schema/schedule/schedule.ts';
import { checkTimeZone } from '../../../../src/core/agent-schema/schedule/time-zone.ts';
import { cases } from '../../../fixtures/cases.ts';

describe('an expression is spelled as EventBridge Scheduler takes it', () => {
  test.each<[TimingKind, string, string]>([
    ['cron', '0 9 ? * mon-fri *', 'cron(0 9 ? * MON-FRI *)'],
    ['cron', '  0/15\t8-17 1,15 JAN,jun ?  2026-2030 ', 'cron(0/15 8-17 1,15 JAN,JUN ? 2026-2030)'],
    ['cron', '0 0 l * ? *', 'cron(0 0 L * ? *)'],
    ['cron', '0 0 15w * ? *', 'cron(0 0 15W * ? *)'],
    ['cron', '0 0 ? * 6l *', 'cron(0 0 ? * 6L *)'],
    ['cron', '0 0 ? * fri#1 2199', 'cron(0 0 ? * FRI#1 2199)'],
    ['cron', '*/5 10-20/2 * */3 ? 1970/1', 'cron(*/5 10-20/2 * */3 ? 1970/1)'],
    ['cron', '0 0 29 2 ? *', 'cron(0 0 29 2 ? *)'],
    ['rate', '1 minutes', 'rate(1 minute)'],
    ['rate', ' 5  minute', 'rate(5 minutes)'],
    ['rate', '12 hours', 'rate(12 hours)'],
    ['rate', '7 days', 'rate(7 days)'],
    ['at', ' 2026-01-31T10:00:00 ', 'at(2026-01-31T10:00:00)'],
  ])('%s %j', (kind, written, expression) => {
    expect(toSchedulerExpression({ kind, expression: parseExpression(kind, written), timezone: 'UTC' })).toBe(
      expression,
    );
  });
});

describe('an expression that cannot be followed is refused with a reason', () => {
  const FIELDS = 'it takes 6 fields (minutes, hours, day of the month, month, day of the week, year)';
  const DAYS = 'one of day of the month and day of the week must be "?", and the other must not';
  const RATE = 'it takes a whole number from 1 to 999999 and "minutes", "hours" or "days", as in "5 minutes"';
  const AT = 'it takes a date and a time without a zone, as in "2026-01-31T10:00:00"';
  test.each<[TimingKind, string, string]>([
    ['cron', '', `${FIELDS}, got 1`],
    ['cron', '0 9 * * *', `${FIELDS}, got 5`],
    ['cron', '0 0 9 ? * * *', `${FIELDS}, got 7`],
    ['cron', 'cron(0 9 * * ? *)', 'omit the "cron(" and ")" around it'],
    ['rate', 'rate(5 minutes)', 'omit the "rate(" and ")" around it'],
    ['cron', '0 9 * * * *', DAYS],
    ['cron', '0 9 ? * ? *', DAYS],
    ['cron', '60 9 * * ? *', 'minutes must be 0 to 59, got "60"'],
    ['cron', '0 24 * * ? *', 'hours must be 0 to 23, got "24"'],
    ['cron', '0 9 0 * ? *', 'day of the month must be 1 to 31, got "0"'],
    ['cron', '0 9 32W * ? *', 'day of the month must be 1 to 31, got "32W"'],
    ['cron', '0 9 * 13 ? *', 'month must be 1 to 12, got "13"'],
    ['cron', '0 9 ? * 0 *', 'day of the week must be 1 to 7, got "0"'],
    ['cron', '0 9 ? * 8L *', 'day of the week must be 1 to 7, got "8L"'],
    ['cron', '0 9 * * ? 1969', 'year must be 1970 to 2199, got "1969"'],
    ['cron', '0-99 9 * * ? *', 'minutes must be 0 to 59, got "0-99"'],
    ['cron', '30-10 9 * * ? *', 'minutes: "30-10" ends before it begins'],
    ['cron', '0 9 ? * FRI-MON *', 'day of the week: "FRI-MON" ends before it begins'],
    ['cron', '0/0 9 * * ? *', 'minutes: the step in "0/0" must be 1 to 59'],
    ['cron', '0/60 9 * * ? *', 'minutes: the step in "0/60" must be 1 to 59'],
    ['cron', '0 9 ? * 3#6 *', 'day of the week: "3#6" has a week that is not from 1 to 5'],
    ['cron', '0 9 30 2 ? *', 'this date does not exist'],
    ['cron', '0 9 29 2 ? 2027', 'this date does not exist'],
    ['rate', '0 minutes', RATE],
    ['rate', '1.5 hours', RATE],
    ['rate', '5', RATE],
    ['rate', '5 weeks', RATE],
    ['rate', '1000000 days', RATE],
    ['at', '2026-01-31', AT],
    ['at', '2026-01-31T10:00:00Z', AT],
    ['at', '2026-01-31 10:00:00', AT],
    ['at', '2026-02-30T10:00:00', 'this date does not exist'],
    ['at', '2026-01-31T24:00:00', 'this date does not exist'],
    ['at', '2026-01-31T10:61:00', 'this date does not exist'],
  ])('%s %j', (kind, written, reason) => {
    expect(() => parseExpression(kind, written)).toThrow(new ScheduleError(reason));
  });

  test.each(['1/2/3', '1-2-3', '-', '1-', '/5', ',', '5,', 'L', '#', 'x', '1.5', '+1', '0x1', '１'])(
    'in any field: %j',
    (part) => {
      const reasons = ['minutes', 'hours', 'month', 'year'].map((name, field) => {
        const fields = ['0', '0', '1', '*', '?', '*'];
        fields[[0, 1, 3, 5][field] ?? 0] = part;
        try {
          parseExpression('cron', fields.join(' '));
          return `${name} accepted`;
        } catch (error) {
          return error instanceof ScheduleError ? error.message.split(' ')[0] : error;
        }
      });
      expect(reasons).toEqual(['minutes', 'hours', 'month', 'year']);
    },
  );

  test.each(['LW', 'L-3', '15WW', 'W', '1,L', '?,1', '1#2', '5L'])('as a day of the month: %j', (day) => {
    expect(() => parseExpression('cron', `0 0 ${day} * ? *`)).toThrow(/^day of the month takes 1 to 31, /);
  });

  test.each(['1/2', '*/2', 'LL', '1,5L', 'MON#', '15W', 'MONDAY'])('as a day of the week: %j', (day) => {
    expect(() => parseExpression('cron', `0 0 ? * ${day} *`)).toThrow(/^day of the week/);
  });
});

test('no text makes the parser throw anything but its own error, and what it takes it takes again', () => {
  const part = fc.oneof(
    fc.constantFrom(
      '*',
      '?',
      'L',
      'W',
      '15W',
      '3#2',
      '6L',
      'MON',
      'JAN-DEC',
      '0/5',
      '1-5/2',
      '1,2,3',
      '-',
      '/',
    ),
    fc.integer({ min: -1, max: 2200 }).map(String),
    fc.string({ maxLength: 4 }),
  );
  const text = fc.oneof(
    fc.array(part, { minLength: 5, maxLength: 7 }).map((parts) => parts.join(' ')),
    fc.string(),
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString().slice(0, 19)),
    fc.tuple(fc.integer(), fc.constantFrom('minute', 'hours', 'day')).map((parts) => parts.join(' ')),
  );
  fc.assert(
    fc.property(fc.constantFrom<TimingKind>('cron', 'rate', 'at'), text, (kind, written) => {
      let expression: string;
      try {
        expression = parseExpression(kind, written);
      } catch (error) {
        expect(error).toBeInstanceOf(ScheduleError);
        return;
      }
      expect(parseExpression(kind, expression)).toBe(expression);
    }),
    { numRuns: cases(2_000) },
  );
});

describe('a time zone', () => {
  test.each(['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Asia/Kolkata', 'Etc/GMT+5'])(
    'may be %s',
    (name) => {
      expect(checkTimeZone(name)).toBeUndefined();
    },
  );

  const NONE = 'there is no such time zone; use a name such as Europe/Berlin or UTC';
  test.each([
    ['', NONE],
    ['Mars/Olympus', NONE],
    ['Europe/Berlin ', NONE],
    ['europe/berlin', 'write Europe/Berlin'],
  ])('may not be %j', (name, reason) => {
    expect(() => checkTimeZone(name)).toThrow(new ScheduleError(reason));
  });

  test('is no offset', () => {
    expect(() => checkTimeZone('+01:00')).toThrow(ScheduleError);
  });
});
