import { ScheduleError } from './schedule-error.ts';

/** The fields of a cron expression, as the values that they stand for, in ascending order. */
export interface Cron {
  minutes: number[];
  hours: number[];
  /** 1 to 12. */
  months: number[];
  years: number[];
  /** Whether the day of the month (from 1) is one of them. */
  isDay(year: number, month: number, day: number): boolean;
}

/**
 * Parses the six fields of a cron expression as EventBridge Scheduler has them (docs.aws.amazon.com, "Schedule types
 * on EventBridge Scheduler"): minutes, hours, day of the month, month, day of the week, year; Sunday is day 1, and one
 * of the two days is `?`. What its documentation does not promise (`LW`, `L-3`, ranges over the end, steps of days of
 * the week) is refused here, where a user sees it, and not by a deployment.
 *
 * @param text in capitals, one space between fields
 * @throws {ScheduleError}
 */
export function parseCron(text: string): Cron {
  const fields = text.split(' ');
  const [minutes, hours, day, month, weekday, year] = fields;
  if (
    minutes === undefined ||
    hours === undefined ||
    day === undefined ||
    month === undefined ||
    weekday === undefined ||
    year === undefined ||
    fields.length > 6
  ) {
    throw new ScheduleError(
      `it takes 6 fields (minutes, hours, day of the month, month, day of the week, year), got ${fields.length}`,
    );
  }
  if ((day === '?') === (weekday === '?')) {
    throw new ScheduleError(
      'one of day of the month and day of the week must be "?", and the other must not',
    );
  }
  return {
    minutes: valuesOf(minutes, MINUTES),
    hours: valuesOf(hours, HOURS),
    months: valuesOf(month, MONTHS),
    years: valuesOf(year, YEARS),
    isDay: weekday === '?' ? dayOfMonth(day) : dayOfWeek(weekday),
  };
}

/** What a field takes. */
interface Field {
  name: string;
  min: number;
  max: number;
  /** What the values from `min` on are called too. */
  names: readonly string[];
  hasSteps: boolean;
}

const MINUTES: Field = { name: 'minutes', min: 0, max: 59, names: [], hasSteps: true };
const HOURS: Field = { name: 'hours', min: 0, max: 23, names: [], hasSteps: true };
const DAYS: Field = { name: 'day of the month', min: 1, max: 31, names: [], hasSteps: true };
const MONTHS: Field = {
  name: 'month',
  min: 1,
  max: 12,
  names: ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'],
  hasSteps: true,
};
const WEEKDAYS: Field = {
  name: 'day of the week',
  min: 1,
  max: 7,
  names: ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'],
  hasSteps: false,
};
const YEARS: Field = { name: 'year', min: 1970, max: 2199, names: [], hasSteps: true };

/** `*`, `5`, `MON`, `1-5`, `0/15`, and lists of them. */
function valuesOf(text: string, field: Field): number[] {
  const values = new Set<number>();
  for (const part of text.split(',')) {
    const [range = '', step, ...more] = part.split('/');
    if (more.length > 0 || (step !== undefined && !field.hasSteps)) throw notTaken(part, field);
    const [first, last] = rangeOf(range, part, field, step !== undefined);
    const by = step === undefined ? 1 : numberOf(step, part, field);
    if (by < 1 || by > field.max) {
      throw new ScheduleError(`${field.name}: the step in "${part}" must be 1 to ${field.max}`);
    }
    for (let value = first; value <= last; value += by) values.add(value);
  }
  return [...values].sort((one, other) => one - other);
}

function rangeOf(text: string, part: string, field: Field, hasStep: boolean): [first: number, last: number] {
  if (text === '*') return [field.min, field.max];
  const [from = '', to, ...more] = text.split('-');
  if (more.length > 0) throw notTaken(part, field);
  const first = valueOf(from, part, field);
  if (to === undefined) return [first, hasStep ? field.max : first];
  const last = valueOf(to, part, field);
  if (last < first) throw new ScheduleError(`${field.name}: "${part}" ends before it begins`);
  return [first, last];
}

function valueOf(text: string, part: string, field: Field): number {
  const index = field.names.indexOf(text);
  const value = index === -1 ? numberOf(text, part, field) : field.min + index;
  if (value < field.min || value > field.max) {
    throw new ScheduleError(`${field.name} must be ${field.min} to ${field.max}, got "${part}"`);
  }
  return value;
}

function numberOf(text: string, part: string, field: Field): number {
  if (!/^\d{1,4}$/.test(text)) throw notTaken(part, field);
  return Number(text);
}

function notTaken(part: string, { name, min, max, names, hasSteps }: Field): ScheduleError {
  const [firstName] = names;
  const named = firstName === undefined ? '' : ` or ${firstName} to ${names.at(-1)}`;
  const forms = hasSteps ? '"*", ranges, lists and steps' : '"*", ranges and lists';
  return new ScheduleError(`${name} takes ${min} to ${max}${named}, ${forms}, not "${part}"`);
}

/** `L` is the last day, `15W` the weekday nearest to the 15th in its month, and the rest are lists of days. */
function dayOfMonth(text: string): Cron['isDay'] {
  if (text === 'L') return (year, month, day) => day === daysIn(year, month);
  if (/^\d+W$/.test(text)) {
    const wanted = valueOf(text.slice(0, -1), text, DAYS);
    return (year, month, day) => wanted <= daysIn(year, month) && day === nearestWeekday(year, month, wanted);
  }
  const days = new Set(valuesOf(text, DAYS));
  return (_year, _month, day) => days.has(day);
}

/** `L` is Saturday, `6L` the last Friday of the month, `3#2` its second Tuesday, and the rest are lists of days. */
function dayOfWeek(text: string): Cron['isDay'] {
  const [, last] = /^(.+)L$/.exec(text) ?? [];
  if (last !== undefined) {
    const wanted = valueOf(last, text, WEEKDAYS);
    return (year, month, day) => weekdayOf(year, month, day) === wanted && day + 7 > daysIn(year, month);
  }
  const [, nth, count = ''] = /^(.+)#(.+)$/.exec(text) ?? [];
  if (nth !== undefined) {
    const wanted = valueOf(nth, text, WEEKDAYS);
    if (!/^[1-5]$/.test(count))
      throw new ScheduleError(`day of the week: "${text}" has a week that is not from 1 to 5`);
    return (year, month, day) =>
      weekdayOf(year, month, day) === wanted && Math.ceil(day / 7) === Number(count);
  }
  const days = new Set(valuesOf(text === 'L' ? 'SAT' : text, WEEKDAYS));
  return (year, month, day) => days.has(weekdayOf(year, month, day));
}

/** A weekday is searched in the same month only: the 1st on a Saturday gives Monday the 3rd. */
function nearestWeekday(year: number, month: number, day: number): number {
  switch (weekdayOf(year, month, day)) {
    case 1:
      return day === daysIn(year, month) ? day - 2 : day + 1;
    case 7:
      return day === 1 ? day + 2 : day - 1;
    default:
      return day;
  }
}

export function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** 1 for Sunday to 7 for Saturday. */
function weekdayOf(year: number, month: number, day: number): number {
  return new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 1;
}
