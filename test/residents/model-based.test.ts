import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Table } from '../../src/store/table.ts';
import { dynamoDbTable, lmdbTable } from '../fixtures/both-tables.ts';
import { cases } from '../fixtures/cases.ts';
import { createMemoryTable } from '../../src/store/memory-table.ts';
import { check, commands, type Real } from './commands.ts';
import { PlainModel } from './plain-model.ts';
import { faults, openPlay } from './play.ts';

/** More are played by hand where the residents change. */
const RUNS = 25;

/** Plays trees, each beside a plain model; after each command, both are the same. */
async function playTrees(table: () => Table, numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(commands(20), fc.nat(), faults, async (all, seed, fault) => {
      const play = await openPlay(table(), seed, fault);
      const model = new PlainModel();
      const real: Real = { play, next: 1, runs: new Map([[model.top, play.root]]) };
      await check(model, real);
      await fc.asyncModelRun(() => ({ model, real }), all);
    }),
    { numRuns: cases(numRuns) },
  );
}

test('whatever agents and people do, and whichever function dies, a tree is as the plain model has it', () =>
  expect(playTrees(createMemoryTable, RUNS)).resolves.toBeUndefined());

test('a tree in LMDB is as the plain model has it', async () => {
  const table = await lmdbTable();
  await expect(playTrees(() => table, 5)).resolves.toBeUndefined();
});

test('a tree in DynamoDB is as the plain model has it', async () => {
  const table = await dynamoDbTable();
  await expect(playTrees(() => table, 2)).resolves.toBeUndefined();
});
