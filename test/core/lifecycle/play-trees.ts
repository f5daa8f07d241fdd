import fc from 'fast-check';
import { messageOf } from '../../../src/errors.ts';
import type { Table } from '../../../src/places/store/table.ts';
import { cases } from '../../fixtures/cases.ts';
import { check, commands, type Real } from './commands.ts';
import { PlainModel } from './plain-model.ts';
import { faults, openPlay } from './play.ts';

/** Plays trees, each beside a plain model; after each command, both are the same. */
export async function playTrees(table: () => Table, numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(commands(20), fc.nat(), faults, async (all, seed, fault) => {
      const play = await openPlay(table(), seed, fault);
      const model = new PlainModel();
      const real: Real = { play, next: 1, runs: new Map([[model.top, play.root]]), story: [] };
      try {
        await check(model, real);
        await fc.asyncModelRun(() => ({ model, real }), all);
      } catch (thrown) {
        throw new Error(`${real.story.join(', ')}: ${messageOf(thrown)}`, { cause: thrown });
      }
    }),
    { numRuns: cases(numRuns), includeErrorInReport: true },
  );
}
