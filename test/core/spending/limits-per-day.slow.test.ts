import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases } from '../../fixtures/cases.ts';
import { NO_FAULTS, play, type Level, type Played, type Scenario } from '../../account/scenario.ts';
import { CHANCES, LEAF, scenarios, STOPS } from './random-scenarios.ts';

/** From less than one call to more than all of them, and odd ones, which sixteen shards do not divide. */
const perDay = fc.constantFrom(3_000_000, 20_000_001, 300_000_007, 10_000_000_000);

const limited = (of: fc.Arbitrary<Scenario>) =>
  fc.tuple(of, perDay, fc.boolean()).map(([scenario, nanoUsd, isAlone]) => ({
    ...scenario,
    ...(isAlone && { budget: {} }),
    perDay: nanoUsd,
  }));

/** What is wrong with how a day is counted. @param lost the most that may be counted besides what was spent */
function wronglyGone({ perDay: most = 0 }: Scenario, { real, goneOfDay }: Played, lost: number): string[] {
  return [
    ...(real.nanoUsd > most ? [`${real.nanoUsd} were spent of ${most}`] : []),
    ...(goneOfDay < real.nanoUsd ? [`${goneOfDay} are gone of the day, and ${real.nanoUsd} were spent`] : []),
    ...(goneOfDay > real.nanoUsd + lost ? [`${goneOfDay} are gone, and ${real.nanoUsd} were spent`] : []),
  ];
}

describe('a tree under a limit per day', () => {
  test('spends no more than it, through any deaths, stops, repetitions and useless answers, and what it leaves goes back', async () => {
    await fc.assert(
      fc.asyncProperty(limited(scenarios(CHANCES, STOPS)), async (given) => {
        const played = await play(given);
        expect(wronglyGone(given, played, played.lost.nanoUsd)).toEqual([]);
      }),
      { numRuns: cases(30) },
    );
  });

  test('is counted for what it has spent exactly where nothing fails', async () => {
    await fc.assert(
      fc.asyncProperty(limited(scenarios(fc.constant(NO_FAULTS), fc.constant([]))), async (given) => {
        expect(wronglyGone(given, await play(given), 0)).toEqual([]);
      }),
      { numRuns: cases(30) },
    );
  });
});

describe('400 branches at once under a limit per day', () => {
  const levels: Level[] = [
    { calls: 10, turns: 2, parallel: true },
    { calls: 40, turns: 2, parallel: true },
    LEAF,
  ];
  const play400 = (nanoUsd: number) =>
    play({
      budget: {},
      perDay: nanoUsd,
      levels,
      chances: NO_FAULTS,
      stops: [],
      seed: 1,
      evenness: 3,
      slowness: 1_000,
    });

  test('hardly write the ledgers of others where it has room for what all of them want', async () => {
    const played = await play400(10_000_000_000);
    expect(played.tree.map(({ status }) => status)).toEqual(played.tree.map(() => 'succeeded'));
    expect(played.goneOfDay).toBe(played.real.nanoUsd);
    const ofOthers = played.writes.filter(({ run, by, written }) => run !== by || !written);
    expect(ofOthers.length / played.tree.length).toBeLessThan(0.2);
  });

  test('spend no more than it where it has room for a few of them', async () => {
    const played = await play400(3_000_000);
    expect(played.goneOfDay).toBe(played.real.nanoUsd);
    expect(played.real.nanoUsd).toBeLessThanOrEqual(3_000_000);
    expect(played.real.nanoUsd).toBeGreaterThan(0.5 * 3_000_000);
  });
});
