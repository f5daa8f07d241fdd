import fc from 'fast-check';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createDynamoTable } from '../../src/store/dynamodb/table.ts';
import { openLmdbTable } from '../../src/store/lmdb/table.ts';
import type { Table } from '../../src/store/table.ts';
import { cases } from '../fixtures/cases.ts';
import { createDynamoDbTable, dynamoDbClient, startDynamoDb } from '../fixtures/dynamodb.ts';
import { createMemoryTable } from '../../src/store/memory-table.ts';
import { tempFolder } from '../fixtures/temp-folder.ts';
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
  const table = await openLmdbTable(join(await tempFolder(), 'store'));
  onTestFinished(() => table.close());
  await expect(playTrees(() => table, 5)).resolves.toBeUndefined();
});

test('a tree in DynamoDB is as the plain model has it', async () => {
  const server = await startDynamoDb();
  onTestFinished(() => server.close());
  await createDynamoDbTable(server.endpoint, 'cadre');
  const table = createDynamoTable({ client: dynamoDbClient(server.endpoint), tableName: 'cadre' });
  onTestFinished(() => table.close());
  await expect(playTrees(() => table, 2)).resolves.toBeUndefined();
});
