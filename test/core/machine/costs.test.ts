import { expect, test } from 'vitest';
import {
  CHOICE,
  COSTS,
  GATE,
  HOOKED,
  ITERATION,
  sum,
  times,
  withoutChoice,
} from '../../../src/core/machine/costs.ts';

test('each part of an execution has its billed states and its events, counted on Step Functions’ documentation', () => {
  const parts = Object.entries({ ...COSTS, iteration: ITERATION, gate: GATE, hooked: sum(...HOOKED) });
  expect(Object.fromEntries(parts.map(([part, { states, events }]) => [part, [states, events]]))).toEqual({
    opening: [1, 5 + 2],
    acting: [2, 5 + 2],
    wave: [2, 4 + 2],
    lastWave: [1, 4],
    waiting: [3, 5 + 2 + 2],
    batching: [3, 5 + 2 + 6],
    idling: [3, 5 + 2 + 6],
    answering: [3, 5 + 2 + 2],
    failing: [3, 5 + 5 + 1],
    iteration: [1, 2 + 2],
    gate: [3, 6 + 2 + 2],
    hooked: [4 * 7, 4 * 25],
  });
  expect([withoutChoice(sum(ITERATION, CHOICE)), times(3, ITERATION)]).toEqual([
    ITERATION,
    { states: 3, events: 12 },
  ]);
});
