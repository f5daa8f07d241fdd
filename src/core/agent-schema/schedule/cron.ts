import { ScheduleError } from './schedule.ts';

/**
 * Checks the six fields of a cron expression as EventBridge Scheduler has them (docs.aws.amazon.com, "Schedule types on
 * EventBridge Scheduler"): minutes, hours, day of the month, month, day of the week, year; Sunday is day 1, and one of
 * the two days is `?`. Forms that its documentation does not promise (`LW`, `L-3`, ranges over the end, steps of days
 * of the week) are refused here, where a user sees the message, and not by a deployment.
 *
 * @param text in capitals, one space between fields
 * @throws {ScheduleError}
 */
export function checkCron(text: string): void {
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
  checkList(minutes, MINUTES);
  checkList(hours, HOURS);
  checkList(month, MONTHS);
  checkList(year, YEARS);
  if (weekday === '?') checkDay(day);
  else checkWeekday(weekday);
}

/** The values that a field takes. */
interface Field {
  name: string;
  min: number;
  max: number;
  /** Other names of the values from `min` on. */
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
function checkList(text: string, field: Field): void {
  for (const part of text.split(',')) {
    const [range = '', step, ...more] = part.split('/');
    if (more.length > 0 || (step !== undefined && !field.hasSteps)) throw notTaken(part, field);
    if (range !== '*') checkRange(range, part, field);
    const by = step === undefined ? 1 : numberOf(step, part, field);
    if (by < 1 || by > field.max) {
      throw new ScheduleError(`${field.name}: the step in "${part}" must be 1 to ${field.max}`);
    }
  }
}

function checkRange(text: string, part: string, field: Field): void {
  const [from = '', to, ...more] = text.split('-');
  if (more.length > 0) throw notTaken(part, field);
  const first = valueOf(from, part, field);
  if (to !== undefined && valueOf(to, part, field) < first) {
    throw new ScheduleError(`${field.name}: "${part}" ends before it begins`);
  }
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
function checkDay(text: string): void {
  if (/^\d+W$/.test(text)) valueOf(text.slice(0, -1), text, DAYS);
  else if (text !== 'L') checkList(text, DAYS);
}

/** `L` is Saturday, `6L` the last Friday of the month, `3#2` its second Tuesday, and the rest are lists of days. */
function checkWeekday(text: string): void {
  const [, day, week] = /^(.+)(L|#.+)$/.exec(text) ?? [];
  if (day === undefined || week === undefined) {
    if (text !== 'L') checkList(text, WEEKDAYS);
    return;
  }
  valueOf(day, text, WEEKDAYS);
  if (week !== 'L' && !/^#[1-5]$/.test(week)) {
    throw new ScheduleError(`day of the week: "${text}" has a week that is not from 1 to 5`);
  }
}
