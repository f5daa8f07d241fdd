import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createDynamoTable } from '../../src/store/dynamodb/table.ts';
import { openLmdbTable } from '../../src/store/lmdb/table.ts';
import type { Table } from '../../src/store/table.ts';
import type { Scenario } from '../budget/scenario.ts';
import { play } from '../budget/simulated-account.ts';
import { createDynamoDbTable, dynamoDbClient, startDynamoDb } from '../fixtures/dynamodb.ts';
import { createMemoryTable } from '../../src/store/memory-table.ts';
import { tempFolder } from '../fixtures/temp-folder.ts';
import { FAULTS, faultsOf, SCENARIOS } from './deaths.ts';

/**
 * @param first the operation that fails first
 * @param step from there to the next one
 * @returns what is wrong, by the operation that failed
 */
async function sweep(scenario: Scenario, table: Table, first: number, step: number): Promise<object[]> {
  const { operations } = await play(scenario, table);
  const found: object[] = [];
  // A repetition makes operations more, and a stop may come at another moment: the rest is beyond the end.
  for (let at = first; at < operations; at += step) {
    const fault = { at, what: FAULTS[(at + first) % FAULTS.length] ?? 'dies before it' };
    const wrong = faultsOf(await play({ ...scenario, fault }, table));
    if (wrong.length > 0) found.push({ ...fault, wrong });
  }
  return found;
}

describe.each(SCENARIOS)('%s ends, and is charged once, whatever happens at any operation', (_, scenario) => {
  test('in memory', async () => {
    expect(await sweep(scenario, createMemoryTable(), 0, 1)).toEqual([]);
  });

  test('in LMDB', async () => {
    const table = await openLmdbTable(join(await tempFolder(), 'store'));
    onTestFinished(() => table.close());
    expect(await sweep(scenario, table, 1, 11)).toEqual([]);
  });

  test('in DynamoDB', async () => {
    const server = await startDynamoDb();
    onTestFinished(() => server.close());
    await createDynamoDbTable(server.endpoint, 'cadre');
    const table = createDynamoTable({ client: dynamoDbClient(server.endpoint), tableName: 'cadre' });
    onTestFinished(() => table.close());
    expect(await sweep(scenario, table, 2, 23)).toEqual([]);
  });
});
