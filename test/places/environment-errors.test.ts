import { expect, test } from 'vitest';
import { EndedError, unlessEnded } from '../../src/places/environment-errors.ts';
import { ConfigError } from '../../src/errors.ts';
import { aRun } from '../fixtures/records.ts';

test('that there is nothing to stop any more is no error for who wants it stopped; any other is', () => {
  const run = aRun({ status: 'timed_out' });
  const ended = new EndedError(run);
  expect(String(ended)).toBe(`ConfigError: run "${run.id}" has ended: its status is timed_out`);
  expect(unlessEnded(ended)).toBeUndefined();
  const other = new ConfigError('access denied');
  expect(() => unlessEnded(other)).toThrow(other);
});
