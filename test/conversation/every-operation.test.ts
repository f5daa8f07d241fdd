import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createDynamoTable } from '../../src/store/dynamodb/table.ts';
import { openLmdbTable } from '../../src/store/lmdb/table.ts';
import { LIMITS } from '../../src/runs/amounts.ts';
import type { Table } from '../../src/store/table.ts';
import { NO_FAULTS, type Scenario } from '../budget/scenario.ts';
import { countedIn, play, type Played } from '../budget/simulated-account.ts';
import { createDynamoDbTable, dynamoDbClient, startDynamoDb } from '../fixtures/dynamodb.ts';
import { tempFolder } from '../fixtures/temp-folder.ts';

/**
 * A function dies before or after any operation of its store, or the operation is throttled; it is called again, as
 * Lambda, Step Functions and EventBridge call it. Whatever happens where: no run is left running, and no charge is wrong.
 */
const FAULTS = ['dies before it', 'dies after it', 'is throttled'] as const;

const tree: Scenario = {
  budget: { tokens: 60_000, turns: 20, toolCalls: 9 },
  levels: [
    { calls: 2, turns: 2, parallel: true },
    { calls: 0, turns: 1, parallel: true },
  ],
  chances: NO_FAULTS,
  stops: [],
  seed: 7,
  evenness: 2,
};
const SCENARIOS: [string, Scenario][] = [
  ['a tree that succeeds', tree],
  ['a tree whose sub-agents fail', { ...tree, failing: 'l1' }],
  ['a run that fails', { ...tree, failing: 'l0' }],
  ['a run that is short', { ...tree, budget: { tokens: 9_000, turns: 6 } }],
  ['a run that is stopped before it is asked anything', { ...tree, stops: [0], isLeftStopped: true }],
  ['a tree that is stopped', { ...tree, stops: [2], isLeftStopped: true }],
  ['a tree that is stopped and resumed', { ...tree, stops: [2] }],
];

/** What is wrong in the end. */
function faultsOf({ tree: runs, real, lost, ledger }: Played): string[] {
  const counted = countedIn({ ledger });
  const limits = LIMITS.filter((limit) => ledger.received[limit] !== undefined);
  return [
    ...runs.filter(({ status }) => status === 'running').map(({ id }) => `${id} is left running`),
    ...limits
      .filter((limit) => counted[limit] < real[limit])
      .map((limit) => `${counted[limit]} ${limit} are charged, and ${real[limit]} were spent`),
    ...(counted.tokens > real.tokens + lost.tokens ? [`${counted.tokens} tokens are charged, too many`] : []),
  ];
}

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
  test('in LMDB', async () => {
    const table = await openLmdbTable(join(await tempFolder(), 'store'));
    onTestFinished(() => table.close());
    expect(await sweep(scenario, table, 0, 1)).toEqual([]);
  });

  test('in DynamoDB', async () => {
    const server = await startDynamoDb();
    onTestFinished(() => server.close());
    await createDynamoDbTable(server.endpoint, 'cadre');
    const table = createDynamoTable({ client: dynamoDbClient(server.endpoint), tableName: 'cadre' });
    onTestFinished(() => table.close());
    expect(await sweep(scenario, table, 2, 17)).toEqual([]);
  });
});
