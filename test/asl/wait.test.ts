import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTimestamp } from '../../src/asl/definition/field-checks.ts';
import { definitionOf, run } from './harness.ts';

/** Seconds that a Wait state waits, from the start of 2030. */
async function secondsOf(fields: { Seconds: number | string } | { Timestamp: string }): Promise<number> {
  const { execution } = await run(definitionOf({ Wait: { Type: 'Wait', ...fields, End: true } }), {
    input: { seconds: 3, until: '2030-01-01T00:00:09Z' },
  });
  expect(execution.status).toBe('SUCCEEDED');
  return ((execution.stopDate?.getTime() ?? NaN) - execution.startDate.getTime()) / 1000;
}

describe('Wait', () => {
  it('waits for seconds, or until a time, given or computed', async () => {
    expect(await secondsOf({ Seconds: 5 })).toBe(5);
    expect(await secondsOf({ Seconds: '{% $states.input.seconds * 2 %}' })).toBe(6);
    expect(await secondsOf({ Timestamp: '2030-01-01T01:00:05+01:00' })).toBe(5);
    expect(await secondsOf({ Timestamp: '{% $states.input.until %}' })).toBe(9);
  });

  it('waits until a whole second, as the service cuts milliseconds off', async () => {
    expect(await secondsOf({ Timestamp: '2030-01-01T00:00:05.999Z' })).toBe(5);
    expect(await secondsOf({ Timestamp: '2030-01-01T00:00:00.999Z' })).toBe(0);
  });

  it('waits for three years and no longer', async () => {
    expect(await secondsOf({ Seconds: 99_999_999 })).toBe(99_999_999);
    expect(await secondsOf({ Seconds: '{% 99999999 %}' })).toBe(99_999_999);
    const { execution } = await run(
      definitionOf({ Wait: { Type: 'Wait', Seconds: '{% 100000000 %}', End: true } }),
    );
    expect(execution).toMatchObject({
      status: 'FAILED',
      error: 'States.QueryEvaluationError',
      cause: expect.stringMatching(/ from 0 to 99999999 but was: 100000000$/),
    });
  });

  it('does not wait for a time that has passed', async () => {
    expect(await secondsOf({ Timestamp: '2029-12-31T23:59:59Z' })).toBe(0);
    expect(await secondsOf({ Seconds: 0 })).toBe(0);
  });
});

describe('a timestamp', () => {
  it('is read as JavaScript writes it, to the second', () => {
    const date = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(
        date,
        (time) => parseTimestamp(time.toISOString()) === 1000 * Math.floor(time.getTime() / 1000),
      ),
    );
  });

  it.each([
    ['2016-03-14T01:59Z', '2016-03-14T01:59:00Z'],
    ['2016-03-14T01:59:00.123456789Z', '2016-03-14T01:59:00Z'],
    ['2016-03-14t01:59:00z', '2016-03-14T01:59:00Z'],
    ['2016-03-14T01:59:00-02:30', '2016-03-14T04:29:00Z'],
    ['2016-03-14T01:59:00+01:02:03', '2016-03-14T00:56:57Z'],
    ['2016-02-29T00:00:00Z', '2016-02-29T00:00:00Z'],
  ])('%s is %s', (text, time) => {
    expect(parseTimestamp(text)).toBe(Date.parse(time));
  });

  it.each([
    '',
    '2016-03-14',
    '2016-03-14 01:59:00Z',
    '2016-03-14T01:59:00',
    '14-03-2016T01:59:00Z',
    '2016-13-14T01:59:00Z',
    '2015-02-29T01:59:00Z',
    '2016-03-14T24:00:00Z',
    '2016-03-14T01:60:00Z',
    '2016-03-14T01:59:00+1',
    '2016-3-14T01:59:00Z',
  ])('%j is none', (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  });
});
