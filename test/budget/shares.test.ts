import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LIMITS, type Allowance } from '../../src/runs/amounts.ts';
import { NO_FAULTS, type Chances, type Level, type Scenario } from './scenario.ts';
import { countedIn, play, type Played } from './simulated-account.ts';

const level = fc.record({
  calls: fc.constantFrom(0, 1, 2, 3, 8),
  turns: fc.constantFrom(1, 2, 3),
  parallel: fc.boolean(),
});
const LEAF: Level = { calls: 0, turns: 1, parallel: true };

/** What one call wants is from a hundredth of these to more than all of it. */
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
const chances: fc.Arbitrary<Chances> = fc.record({
  death: chance(0.02, 0.1),
  deathAtAnswer: chance(0.1),
  throttle: chance(0.05),
  duplicate: chance(0.2),
  unusable: chance(0.1),
  impatience: chance(0.15),
});

const scenario = (faults: fc.Arbitrary<Chances>, stops: fc.Arbitrary<number[]>): fc.Arbitrary<Scenario> =>
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

/** By limit, for those that the tree has. */
function ofLimits<T>(limits: Allowance, of: (limit: (typeof LIMITS)[number], max: number) => T): T[] {
  return Object.entries({ runs: 1_000, ...limits }).flatMap(([name, max]) =>
    LIMITS.filter((limit) => limit === name).map((limit) => of(limit, max)),
  );
}

describe('a tree of runs that share a budget', () => {
  test('spends no more than it, and is charged for all of it, whatever dies, stops, repeats or is of no use', async () => {
    await fc.assert(
      fc.asyncProperty(scenario(chances, fc.array(fc.nat({ max: 9 }), { maxLength: 2 })), async (given) => {
        const played = await play(given);
        const counted = countedIn(played);
        for (const { limit, max } of ofLimits(given.budget, (limit, max) => ({ limit, max }))) {
          const real = played.real[limit];
          expect({ limit, real }).toEqual({ limit, real: Math.min(real, max) });
          expect({ limit, counted: counted[limit] }).toEqual({
            limit,
            counted: Math.max(counted[limit], real),
          });
          // Nothing is lost but what nobody knows the end of.
          const isMoney = limit === 'tokens' || limit === 'nanoUsd';
          if (isMoney) expect(counted[limit]).toBeLessThanOrEqual(real + played.lost[limit]);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('is charged for what it has spent exactly, and no run is refused before four fifths of it are', async () => {
    await fc.assert(
      fc.asyncProperty(scenario(fc.constant(NO_FAULTS), fc.constant([])), async (given) => {
        const played = await play(given);
        const counted = countedIn(played);
        const limits = ofLimits(given.budget, (limit) => limit);
        expect(limits.map((limit) => counted[limit])).toEqual(limits.map((limit) => played.real[limit]));
        expect(idleRefusals(played)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

/** What runs were refused although a fifth of a limit, and one call, was not spent. */
function idleRefusals({ refusals }: Played): string[] {
  return refusals.filter((text) => {
    const said = /used (\S+) of (\S+?)(?: tokens)?; the next call could cost up to ([$.\d]*\d)/.exec(text);
    if (said === null) return false;
    const [used = 0, max = 0, next = 0] = said.slice(1).map((amount) => Number(amount.replace('$', '')));
    return used < 0.8 * max - next;
  });
}

describe('400 branches at once', () => {
  const levels: Level[] = [
    { calls: 10, turns: 2, parallel: true },
    { calls: 40, turns: 2, parallel: true },
    LEAF,
  ];
  const play400 = (tokens: number, evenness: number) =>
    play({ budget: { tokens }, levels, chances: NO_FAULTS, stops: [], seed: 1, evenness, slowness: 1_000 });

  /** Writes to ledgers of others, and those that came too late. */
  const contended = ({ writes, tree }: Played) =>
    writes.filter(({ run, by, written }) => run !== by || !written).length / tree.length;

  test('write no ledger but their own where the budget has room for what all of them want', async () => {
    const played = await play400(10_000_000, 3);
    expect(played.tree.map(({ status }) => status)).toEqual(played.tree.map(() => 'succeeded'));
    expect(contended(played)).toBe(0);
  });

  test.each([
    ['a third', 600_000],
    ['a ninth', 200_000],
  ])('write less than one ledger of others each where it has room for %s of that', async (_, tokens) => {
    const played = await play400(tokens, 3);
    expect(played.tree.map(({ status }) => status)).toEqual(played.tree.map(() => 'succeeded'));
    expect(played.real.tokens).toBeLessThanOrEqual(tokens);
    expect(contended(played)).toBeLessThan(1);
  });
});
