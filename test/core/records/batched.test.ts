import { expect, test } from 'vitest';
import {
  batchOwner,
  batchRequestId,
  bucketOf,
  closingOf,
  isBucket,
  laneOf,
} from '../../../src/core/records/batched.ts';

const MINUTE = 60_000;
const lane = laneOf({ model: 'm/x', account: 'a', endpoint: 'e' });

test('turns that are asked in one minute, and can share a batch, are in one bucket', () => {
  const at = 1_000 * MINUTE;
  const [first, last, next, later] = [
    bucketOf({ lane, askedAt: at }, 0),
    bucketOf({ lane, askedAt: at + MINUTE - 1 }, 0),
    bucketOf({ lane, askedAt: at + MINUTE }, 0),
    bucketOf({ lane, askedAt: at }, 36),
  ];
  expect([first, last, next, later]).toEqual([
    `batch-${lane}-rs`,
    `batch-${lane}-rs`,
    `batch-${lane}-rt`,
    `batch-${lane}-ss`,
  ]);
  // Those who ask at the end of the minute join within five seconds.
  expect([closingOf(first), closingOf(next)]).toEqual([at + MINUTE + 5_000, at + 2 * MINUTE + 5_000]);
  expect([first, later].map(isBucket)).toEqual([true, true]);
  expect(
    ['batch', `${first}/x`, `x${first}`, `batch-${lane.slice(1)}-rs`, `batch-${lane}-`].map(isBucket),
  ).toEqual(Array(5).fill(false));
});

test('what a batch is made for has names of its own, which providers take', () => {
  const lanes = ['m/x', 'm/y'].flatMap((model) =>
    ['a', 'b'].flatMap((account) => ['e', 'f'].map((endpoint) => laneOf({ model, account, endpoint }))),
  );
  const requests = [
    batchRequestId('r', 1, 0),
    batchRequestId('r', 1, 1),
    batchRequestId('r', 2, 0),
    batchRequestId('s', 1, 0),
  ];
  expect([new Set(lanes).size, new Set(requests).size]).toEqual([8, 4]);
  expect([...lanes.map((each) => each.length), ...requests.map((each) => each.length)]).toEqual([
    ...Array<number>(8).fill(24),
    ...Array<number>(4).fill(40),
  ]);
  expect(batchOwner('r', 2)).toBe('batch:r:2');
});
