import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDynamoTable } from '../src/places/aws/store/dynamodb/table.ts';
import { openLmdbTable } from '../src/places/local/store/lmdb/table.ts';
import type { Table } from '../src/places/store/table.ts';
import { play } from '../test/account/scenario.ts';
import { FAULTS, faultsOf, SCENARIOS } from '../test/core/turn/deaths.ts';
import { createDynamoDbTable, dynamoDbClient, startDynamoDb } from '../test/fixtures/dynamodb.ts';
import type { Campaign } from './campaign.ts';

/** A number that no scenario reaches. */
const MOST_OPERATIONS = 200;

export const FUNCTION_DEATH: Campaign = {
  name: 'function-death',
  tries: 'functions that die or are throttled at any operation of LMDB or DynamoDB',
  async open() {
    const folder = await mkdtemp(join(tmpdir(), 'cadre-chaos-'));
    const server = await startDynamoDb();
    await createDynamoDbTable(server.endpoint, 'cadre');
    const lmdb = await openLmdbTable(folder);
    const dynamo = createDynamoTable({ client: dynamoDbClient(server.endpoint), tableName: 'cadre' });
    return {
      async attack(trial) {
        const [what, scenario] = trial.pick(SCENARIOS);
        const [store, table] = trial.pick<readonly [string, Table]>([
          ['LMDB', lmdb],
          ['DynamoDB', dynamo],
        ]);
        const fault = { at: trial.number(0, MOST_OPERATIONS), when: trial.pick(FAULTS) };
        const seed = trial.number(0, 2 ** 31 - 1);
        const wrong = faultsOf(await play({ ...scenario, seed, fault }, table));
        return wrong.map((one) => `${what}, in ${store}: operation ${fault.at}, ${fault.when}: ${one}`);
      },
      async close() {
        await lmdb.close();
        await dynamo.close();
        await server.close();
        await rm(folder, { recursive: true });
      },
    };
  },
};
