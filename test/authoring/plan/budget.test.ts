import { expect, test } from 'vitest';
import { withinBudget } from '../../../src/authoring/plan/budget.ts';
import { createPrices } from '../../../src/core/spending/prices.ts';

/** In dollars for a million tokens. */
const prices = createPrices(
  new Map([
    ['m/cheap', { input: 0.01, output: 0.1, cacheRead: 0.001, cacheWrite: 0.01 }],
    ['m/dear', { input: 1, output: 10, cacheRead: 0.1, cacheWrite: 1 }],
  ]),
);
const none = { maxTokens: 0, maxUsd: 0, maxTurns: 0, maxToolCalls: 0 };

test.each([
  ['dollars, by the cheapest model', { maxUsd: 0.00006 }, true, { runs: 29, turns: 29, calls: 30 }],
  [
    'dollars, where computed turns cost nothing',
    { maxUsd: 0.00006 },
    false,
    { runs: 31, turns: 1_550, calls: 30 },
  ],
])('a budget leaves a tree what %s buy', (_, budget, isAllPaid, expected) => {
  expect(withinBudget({ ...none, ...budget }, ['m/cheap', 'm/dear'], isAllPaid, prices)).toEqual(expected);
});
