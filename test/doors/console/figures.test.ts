import { describe, expect, test } from 'vitest';
import {
  ago,
  dateOf,
  dayName,
  dollars,
  duration,
  shortCount,
  shortDuration,
  timeOfDay,
  tokenCount,
  until,
} from '../../../src/doors/console/shared/figures.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('figures on the page', () => {
  test.each([
    [-5, '0.0 s', '0 s'],
    [440, '0.4 s', '0.4 s'],
    [2 * SECOND, '2.0 s', '2 s'],
    [10 * SECOND, '10 s', '10 s'],
    [59.4 * SECOND, '59 s', '59 s'],
    [59.6 * SECOND, '1 min 0 s', '1 min'],
    [92 * SECOND, '1 min 32 s', '1:32 min'],
    [119.7 * SECOND, '2 min 0 s', '2 min'],
    [200 * SECOND, '3 min 20 s', '3:20 min'],
    [HOUR - 400, '1 h 0 min', '1 h'],
    [2 * HOUR + 5 * MINUTE, '2 h 5 min', '2:05 h'],
    [26 * HOUR + 59 * MINUTE + 59 * SECOND, '26 h 59 min', '26:59 h'],
  ])('tell how long %d ms are', (milliseconds, long, short) => {
    expect([duration(milliseconds), shortDuration(milliseconds)]).toEqual([long, short]);
  });

  test.each([
    [0, '0', '0 tokens'],
    [1, '1', '1 token'],
    [999, '999', '999 tokens'],
    [1000, '1.0k', '1.0k tokens'],
    [9949, '9.9k', '9.9k tokens'],
    [9950, '10k', '10k tokens'],
    [999_499, '999k', '999k tokens'],
    [999_500, '1.0M', '1.0M tokens'],
    [12_345_678, '12M', '12M tokens'],
  ])('tell how many %d are, in three characters', (number, count, tokens) => {
    expect([shortCount(number), tokenCount(number)]).toEqual([count, tokens]);
  });

  test.each([
    [null, '$?'],
    [0, '$0.00'],
    [0.00421, '$0.0042'],
    [0.0999, '$0.0999'],
    [0.1, '$0.10'],
    [12.345, '$12.35'],
  ])('tell what %d dollars are', (usd, text) => expect(dollars(usd)).toBe(text));

  const at = '2026-01-31T10:14:00.000Z';
  const now = Date.parse(at);

  test.each([
    [-MINUTE, 'just now'],
    [MINUTE - 1, 'just now'],
    [MINUTE, '1 min ago'],
    [HOUR - 1, '59 min ago'],
    [HOUR, '1 h ago'],
    [DAY - 1, '23 h ago'],
    [DAY, dateOf(at)],
  ])('tell what was %d ms ago', (before, text) => expect(ago(at, now + before)).toBe(text));

  test.each([
    [-MINUTE, 'at any moment'],
    [MINUTE / 2 - 1, 'at any moment'],
    [MINUTE / 2, 'in 1 min'],
    [59 * MINUTE, 'in 59 min'],
    [HOUR, 'in 1 h'],
    [DAY - MINUTE, 'in 24 h'],
    [DAY, `on ${dateOf(at)}`],
  ])('tell what comes in %d ms', (ahead, text) => expect(until(at, now - ahead)).toBe(text));

  test('tell days and times as people of the place do', () => {
    expect(dateOf(at)).toContain('2026');
    // A day is one of UTC, wherever it is read.
    expect(dayName('2026-01-31')).toContain('31');
    expect(timeOfDay(at)).toMatch(/^\d{2}:\d{2}$/);
  });
});
