import { describe, expect, test } from 'vitest';
import { LEAF } from './random-scenarios.ts';
import { NO_FAULTS, play, type Level, type Played } from '../../account/scenario.ts';

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
    ['a third', 600_000, 0.5],
    // How often they come too late depends on who answers first.
    ['a ninth', 200_000, 2],
  ])('write few ledgers of others where it has room for %s of that', async (_, tokens, most) => {
    const played = await play400(tokens, 3);
    expect(played.tree.map(({ status }) => status)).toEqual(played.tree.map(() => 'succeeded'));
    expect(played.real.tokens).toBeLessThanOrEqual(tokens);
    expect(contended(played)).toBeLessThan(most);
  });
});
