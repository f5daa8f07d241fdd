import { expect, test } from 'vitest';
import { secondsIn } from '../../../src/core/agent-schema/duration.ts';

test.each([
  ['0s', 0],
  ['90s', 90],
  ['2m', 120],
  ['2h', 7_200],
  ['7d', 604_800],
  ['999999999s', 999_999_999],
  [1.5, 1.5],
  ['1000000000s', 0],
  ['s', 0],
  ['5', 0],
  ['5w', 0],
  [' 5s', 0],
])('the duration %j has %d seconds', (duration, seconds) => {
  expect(secondsIn(duration)).toBe(seconds);
});
