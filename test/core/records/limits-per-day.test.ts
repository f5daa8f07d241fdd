import { expect, test } from 'vitest';
import { limitsPerDay } from '../../../src/core/records/limits-per-day.ts';

test.each([
  [{}, undefined],
  [{ usdPerDay: 0, usdPerOwnerPerDay: 0 }, undefined],
  [{ usdPerDay: 2 }, { nanoUsd: 2_000_000_000 }],
  [{ usdPerDay: 0, usdPerOwnerPerDay: 0.5 }, { nanoUsdPerOwner: 500_000_000 }],
  [
    { usdPerDay: 1, usdPerOwnerPerDay: 0.5 },
    { nanoUsd: 1_000_000_000, nanoUsdPerOwner: 500_000_000 },
  ],
])('dollars a day as they are written, %j, are limits of %j', (written, limits) => {
  expect(limitsPerDay(written)).toEqual(limits);
});
