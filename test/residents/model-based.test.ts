import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMemoryTable } from '../../src/store/memory-table.ts';
import type { Fault } from './account.ts';
import { check, commands, type Real } from './commands.ts';
import { PlainModel } from './plain-model.ts';
import { openPlay } from './play.ts';

/** When a function dies, which is then called again. */
const faults = fc.option(
  fc.record<Fault>({ at: fc.nat(1_500), when: fc.constantFrom('before', 'after') }),
  { nil: undefined },
);

test('whatever agents and people do, every tree is as the plain model has it', async () => {
  await fc.assert(
    fc.asyncProperty(commands(20), fc.nat(), faults, async (all, seed, fault) => {
      const setup = async () => {
        const play = await openPlay(createMemoryTable(), seed, fault);
        const model = new PlainModel();
        const real: Real = { play, next: 1, runs: new Map([[model.top, play.root]]) };
        await check(model, real);
        return { model, real };
      };
      const made = await setup();
      await fc.asyncModelRun(() => made, all);
    }),
    { ...(process.env['SEED'] && { seed: Number(process.env['SEED']) }), ...(process.env['RPATH'] && { path: process.env['RPATH'] }), verbose: 0, numRuns: Number(process.env['RUNS'] ?? 30) },
  );
  expect(true).toBe(true);
});
