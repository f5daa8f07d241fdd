import { afterAll, beforeAll } from 'vitest';
import { createDynamoTable } from '../../src/store/dynamodb-table.ts';
import { createDynamoDbTable, dynamoDbClient, startDynamoDb } from '../fixtures/dynamodb.ts';
import type { LoopbackServer } from '../fixtures/loopback.ts';
import { describeTable } from './table-contract.ts';

let server: LoopbackServer;
beforeAll(async () => {
  server = await startDynamoDb();
  await createDynamoDbTable(server.endpoint, 'cadre');
});
afterAll(() => server.close());

describeTable('the table in DynamoDB', async () =>
  createDynamoTable({ client: dynamoDbClient(server.endpoint), tableName: 'cadre' }),
);
