import { expect, test } from 'vitest';
import type { Run } from '../../src/core/records/run.ts';
import { untilRested, type EndedOptions } from '../../src/places/until-rested.ts';
import { aFork, aRun, aSubAgent } from '../fixtures/records.ts';

const top = aRun({ status: 'succeeded', endedAt: new Date().toISOString() });
const kid = aSubAgent(top, { status: 'running' });
const { endedAt: _, ...open } = top;
const fork = aFork(open, { status: 'running' });

/** Looks at a tree that its looks go through, and says how often each was looked at. */
async function lookedAt(states: Run[][], options: EndedOptions, isCarried = true) {
  let looks = 0;
  const now = () => states[Math.min(looks, states.length - 1)] ?? [];
  const run = await untilRested(top.id, options, {
    run: async (id) => now().find((one) => one.id === id),
    tree: async () => now(),
    isCarriedOut: async () => {
      looks += 1;
      return isCarried;
    },
    mails: async () => [],
    opened: async () => undefined,
    turns: async () => [],
  });
  return [run.status, looks];
}

test('a run is waited for until it rests, and its tree until all of it does', async () => {
  const working = [{ ...top, status: 'running' as const }];
  const ending = [top, kid];
  const over = [top, { ...kid, status: 'succeeded' as const }];
  const long = [{ ...top, endedAt: '2026-01-01T00:00:00.000Z' }, kid];
  const forked = [{ ...top, endedAt: '2026-01-01T00:00:00.000Z' }, fork];
  expect([
    await lookedAt([working, working, over], {}),
    await lookedAt([working, working, ending, ending, over], {}),
    await lookedAt([working, ending, ending, over], { wholeTree: true }),
    await lookedAt([long, over], { wholeTree: true }),
    await lookedAt([forked, forked, over], { wholeTree: true }),
    await lookedAt([working, over], {}, false),
    await lookedAt([over, [{ ...top, holder: 2 }]], { after: { holder: 2 } }),
    await lookedAt([working, over], { signal: AbortSignal.abort() }),
  ]).toEqual([
    ['succeeded', 2],
    ['succeeded', 2],
    ['succeeded', 3],
    ['succeeded', 1],
    ['succeeded', 2],
    ['succeeded', 1],
    ['succeeded', 1],
    ['succeeded', 1],
  ]);
  await expect(lookedAt([[]], {})).rejects.toThrow(`run "${top.id}" left no record`);
});
