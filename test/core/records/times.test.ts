import { expect, expectTypeOf, test } from 'vitest';
import {
  seconds,
  shortest,
  timeBetween,
  toMillis,
  toTimeout,
  millis,
  type Instant,
  type Millis,
  type Seconds,
  type TreeInstant,
} from '../../../src/core/records/times.ts';

test('no duration passes for one in another unit, and none for a moment', () => {
  expectTypeOf<Seconds>().not.toExtend<Millis>();
  expectTypeOf<Millis>().not.toExtend<Seconds>();
  expectTypeOf<number>().not.toExtend<Seconds>();
  expectTypeOf<number>().not.toExtend<Millis>();
  expectTypeOf<Seconds>().not.toExtend<Instant>();
  expectTypeOf<Millis>().not.toExtend<Instant>();
});

test('no moment of one clock passes for one of the other, and none for a duration', () => {
  expectTypeOf<Instant>().not.toExtend<TreeInstant>();
  expectTypeOf<TreeInstant>().not.toExtend<Instant>();
  expectTypeOf<number>().not.toExtend<TreeInstant>();
  expectTypeOf<Instant>().not.toExtend<Seconds>();
  expectTypeOf<Instant>().not.toExtend<Millis>();
});

test('durations are converted whole, and a timeout is at least a second', () => {
  expect([toMillis(seconds(30)), toTimeout(millis(1_001)), toTimeout(0)]).toEqual([30_000, 2, 1]);
  expect([timeBetween(3, 10), shortest(seconds(9), seconds(7), seconds(8))]).toEqual([7, 7]);
});
