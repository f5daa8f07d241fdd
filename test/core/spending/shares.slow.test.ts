import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases } from '../../fixtures/cases.ts';
import { CHANCES, idleRefusals, scenarios, STOPS, wronglyCounted } from './random-scenarios.ts';
import { NO_FAULTS, play } from '../../account/scenario.ts';

describe('a tree of runs that share a budget', () => {
  test('spends no more than it, and is charged for all of it, through any deaths, stops, repetitions and useless answers', async () => {
    await fc.assert(
      fc.asyncProperty(scenarios(CHANCES, STOPS), async (given) => {
        expect(wronglyCounted(given, await play(given))).toEqual([]);
      }),
      { numRuns: cases(30) },
    );
  });

  test('is charged for what it has spent exactly, and no run is refused before four fifths of it are', async () => {
    await fc.assert(
      fc.asyncProperty(scenarios(fc.constant(NO_FAULTS), fc.constant([])), async (given) => {
        const played = await play(given);
        expect([...wronglyCounted(given, played), ...idleRefusals(played)]).toEqual([]);
      }),
      { numRuns: cases(30) },
    );
  });
});
