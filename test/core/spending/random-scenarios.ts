import fc from 'fast-check';
import { LIMITS, type Limit } from '../../../src/core/records/amounts.ts';
import { countedIn, type Chances, type Level, type Played, type Scenario } from '../../account/scenario.ts';

const level = fc.record({
  calls: fc.constantFrom(0, 1, 2, 3, 8),
  turns: fc.constantFrom(1, 2, 3),
  parallel: fc.boolean(),
});
export const LEAF: Level = { calls: 0, turns: 1, parallel: true };

/** The want of one call is from a hundredth of these to more than all of it. */
const budget = fc
  .record(
    {
      tokens: fc.constantFrom(1_500, 5_000, 9_000, 20_000, 100_000, 400_000),
      nanoUsd: fc.constantFrom(3_000_000, 20_000_000, 300_000_000),
      turns: fc.constantFrom(1, 2, 3, 10, 50),
      toolCalls: fc.constantFrom(1, 2, 5, 20),
    },
    { requiredKeys: [] },
  )
  .filter((limits) => Object.keys(limits).length > 0);

const chance = (...of: number[]) => fc.constantFrom(0, ...of);
export const CHANCES: fc.Arbitrary<Chances> = fc.record({
  death: chance(0.02, 0.1),
  deathAtAnswer: chance(0.1),
  throttle: chance(0.05),
  duplicate: chance(0.2),
  unusable: chance(0.1),
  impatience: chance(0.15),
});

export const STOPS = fc.array(fc.nat({ max: 9 }), { maxLength: 2 });

export const scenarios = (
  faults: fc.Arbitrary<Chances>,
  stops: fc.Arbitrary<number[]>,
): fc.Arbitrary<Scenario> =>
  fc.record(
    {
      budget,
      levels: fc.tuple(level, level).map((levels) => [...levels, LEAF]),
      chances: faults,
      stops,
      seed: fc.integer(),
      evenness: fc.constantFrom(1, 4),
      maxTokens: fc.constantFrom(100, 1_000),
    },
    { requiredKeys: ['budget', 'levels', 'chances', 'stops', 'seed', 'evenness'] },
  );

/**
 * Where a tree has spent more than its budget, or is charged for less or more than it has spent. Nothing is said of how
 * its runs end: the machine gives up a function that dies six times in a row, and stops a sub-agent that its caller does
 * not wait for. The amounts hold all the same, but reservations of functions that were given up stay charged.
 */
export function wronglyCounted({ budget, chances, stops }: Scenario, played: Played): string[] {
  const counted = countedIn(played);
  const isUndisturbed = stops.length === 0 && Object.values(chances).every((of) => of === 0);
  const limits: Partial<Record<Limit, number>> = { ...budget, runs: 1_000 };
  return LIMITS.flatMap((limit) => {
    const max = limits[limit];
    if (max === undefined) return [];
    const [real, charged] = [played.real[limit], counted[limit]];
    // Nothing is lost but calls with an unknown end.
    const isMoney = limit === 'tokens' || limit === 'nanoUsd';
    const most = isUndisturbed ? real : isMoney ? real + played.lost[limit] : Infinity;
    return [
      ...(real > max ? [`${real} ${limit} were spent of ${max}`] : []),
      ...(charged < real ? [`${charged} ${limit} are charged, and ${real} were spent`] : []),
      ...(charged > most ? [`${charged} ${limit} are charged, and at most ${most} can have been spent`] : []),
    ];
  });
}

/** The refusals of runs although a fifth of a limit, and one call, was not spent. */
export function idleRefusals({ tree }: Played): string[] {
  const refusals = tree.filter(({ status }) => status === 'budget_exceeded');
  return refusals
    .map(({ exceeded = '' }) => exceeded)
    .filter((text) => {
      const said =
        /used (\S+) of (\S+?)(?: tokens)?, \S+ left; the next call could cost up to ([$.\d]*\d)/.exec(text);
      if (said === null) return false;
      const [used = 0, max = 0, next = 0] = said.slice(1).map((amount) => Number(amount.replace('$', '')));
      return used < 0.8 * max - next;
    });
}
