import { expect, test } from 'vitest';
import { toParts } from '../../../src/core/batches/parts.ts';

const member = (number: number, bytes: number) => ({ id: `m${number}`, run: 'r', turn: number, bytes });

/** What each part of a batch has besides its parameters, and what a batch has at most. */
const AROUND = 200;
const MOST = 100 * 2 ** 20;

test.each([
  ['none', [], []],
  ['as many as one takes', Array.from({ length: 1_000 }, () => 0), [1_000]],
  ['one more than that', Array.from({ length: 1_001 }, () => 0), [1_000, 1]],
  ['as much as one takes', [0, MOST - 2 * AROUND], [2]],
  ['a byte more than that', [100, MOST - 2 * AROUND - 99, 0], [1, 2]],
  ['two that are too large, each by itself', [MOST, MOST], [1, 1]],
  ['as much as one takes behind another', [MOST, 0, MOST - 2 * AROUND], [1, 2]],
])('the turns of a bucket are cut into batches, in order: %s', (_, sizes: number[], lengths) => {
  const members = sizes.map((bytes, index) => member(index, bytes));
  const parts = toParts(members);
  expect(parts.map(({ length }) => length)).toEqual(lengths);
  expect(parts.flat()).toEqual(members);
});
