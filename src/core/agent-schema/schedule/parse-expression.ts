import { checkCron } from './cron.ts';
import { nextOccurrence } from './next-occurrence.ts';
import { ScheduleError, type TimingKind } from './schedule.ts';

/**
 * An expression of an agent's file, in the spelling of EventBridge Scheduler.
 * @throws {ScheduleError} with the reason alone
 */
export function parseExpression(kind: TimingKind, written: string): string {
  const text = written.trim().replaceAll(/\s+/g, ' ');
  if (/^(cron|rate|at) ?\(/i.test(text)) throw new ScheduleError(`omit the "${kind}(" and ")" around it`);
  const expression = PARSERS[kind](text);
  if (nextOccurrence({ kind, expression, timezone: 'UTC' }, -1) === undefined) {
    throw new ScheduleError('this date does not exist');
  }
  return expression;
}

const PARSERS: Record<TimingKind, (text: string) => string> = { cron, rate, at };

function cron(text: string): string {
  const expression = text.toUpperCase();
  checkCron(expression);
  return expression;
}

/** The service wants the singular for 1. */
function rate(text: string): string {
  const [, value, unit] = /^([1-9]\d{0,5}) (minute|hour|day)s?$/.exec(text) ?? [];
  if (value === undefined || unit === undefined) {
    throw new ScheduleError(
      'it takes a whole number from 1 to 999999 and "minutes", "hours" or "days", as in "5 minutes"',
    );
  }
  return value === '1' ? `1 ${unit}` : `${value} ${unit}s`;
}

function at(text: string): string {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(text)) {
    throw new ScheduleError('it takes a date and a time without a zone, as in "2026-01-31T10:00:00"');
  }
  return text;
}
