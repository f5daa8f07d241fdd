import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StoreError, StoreUnavailableError } from '../../../../../src/errors.ts';
import { createDynamoTable } from '../../../../../src/places/aws/store/dynamodb/table.ts';
import type { Table } from '../../../../../src/places/store/table.ts';
import { createDynamoDbTable, dynamoDbClient, startDynamoDb } from '../../../../fixtures/dynamodb.ts';
import { type LoopbackServer, serveOnLoopback } from '../../../../fixtures/loopback.ts';
import { type LossyProxy, startLossyProxy } from '../../../../fixtures/lossy-proxy.ts';
import { describeTable } from '../../../store/table-contract.ts';
import { testTableAgainstModel } from '../../../store/table-model.ts';

let server: LoopbackServer;
beforeAll(async () => {
  server = await startDynamoDb();
  await Promise.all(['cadre', 'spread'].map((name) => createDynamoDbTable(server.endpoint, name)));
});
afterAll(() => server.close());

async function open(): Promise<Table> {
  return createDynamoTable({ client: dynamoDbClient(server.endpoint), tableName: 'cadre' });
}
const openSpread = async () =>
  createDynamoTable({ client: dynamoDbClient(server.endpoint), tableName: 'spread', isSpread: () => true });
describeTable('the table in DynamoDB', open);
testTableAgainstModel(open, 40);
describe('partitions that are spread over several', () => {
  describeTable('the table in DynamoDB', openSpread);
  testTableAgainstModel(openSpread, 40);
});

test('writes the time to live as a number and takes it away again', async () => {
  const client = dynamoDbClient(server.endpoint);
  const table = createDynamoTable({ client, tableName: 'cadre' });
  const key = { partition: 'expiring', sort: 'a' };
  async function expires() {
    const { Item } = await client.send(
      new GetItemCommand({ TableName: 'cadre', Key: { partition: { S: 'expiring' }, sort: { S: 'a' } } }),
    );
    return Item?.['expires'];
  }
  await table.putIfAbsent(key, 1, { expires: 4_000_000_000 });
  expect(await expires()).toEqual({ N: '4000000000' });
  await table.putIfVersion(key, 2, 1, { expires: 4_000_000_001 });
  expect(await expires()).toEqual({ N: '4000000001' });
  await table.putIfVersion(key, 3, 2);
  expect(await expires()).toBeUndefined();
  await table.close();
});

describe('a write that the server carried out but whose answer was lost', () => {
  let proxy: LossyProxy;
  let table: Table;
  let other: Table;
  beforeAll(async () => {
    proxy = await startLossyProxy(server.endpoint);
    table = createDynamoTable({ client: dynamoDbClient(proxy.endpoint), tableName: 'cadre' });
    other = await open();
  });
  afterAll(async () => {
    await table.close();
    await other.close();
    await proxy.close();
  });

  test('is known as its own by putIfAbsent', async () => {
    const key = { partition: 'lost', sort: 'absent' };
    proxy.loseNextAnswerTo('PutItem');
    expect(await table.putIfAbsent(key, 'mine')).toEqual({
      written: true,
      item: { key, value: 'mine', version: 1 },
    });
    expect(proxy.operations.splice(0)).toEqual(['PutItem', 'PutItem', 'GetItem']);
  });

  test('is known as its own by putIfAbsent even if others have changed the item since', async () => {
    const key = { partition: 'lost', sort: 'absent and changed' };
    proxy.loseNextAnswerTo('PutItem', async () => {
      await other.putIfVersion(key, 'changed', 1);
    });
    expect(await table.putIfAbsent(key, 'mine')).toEqual({
      written: true,
      item: { key, value: 'changed', version: 2 },
    });
  });

  test('is known as its own by putIfVersion', async () => {
    const key = { partition: 'lost', sort: 'version' };
    await table.putIfAbsent(key, 'first');
    proxy.loseNextAnswerTo('UpdateItem');
    expect(await table.putIfVersion(key, 'second', 1)).toEqual({ key, value: 'second', version: 2 });
    expect(await table.get(key)).toEqual({ key, value: 'second', version: 2 });
  });

  test('has moved on for putIfVersion if others have changed the item since', async () => {
    const key = { partition: 'lost', sort: 'version and changed' };
    await table.putIfAbsent(key, 'first');
    proxy.loseNextAnswerTo('UpdateItem', async () => {
      await other.putIfVersion(key, 'third', 2);
    });
    expect(await table.putIfVersion(key, 'second', 1)).toBeUndefined();
    expect(await table.get(key)).toEqual({ key, value: 'third', version: 3 });
  });
});

describe('errors of the service', () => {
  const key = { partition: 'run 1', sort: 'turn#1' };

  async function errorOf(endpoint: string, operation: (table: Table) => Promise<unknown>): Promise<unknown> {
    const table = createDynamoTable({
      client: dynamoDbClient(endpoint, { maxAttempts: 1 }),
      tableName: 'gone',
    });
    try {
      return await operation(table).catch((error: unknown) => error);
    } finally {
      await table.close();
    }
  }

  test('name a table that is not there', async () => {
    expect(await errorOf(server.endpoint, (table) => table.get(key))).toEqual(
      new StoreError(
        'cannot read item "run 1 turn#1" of table "gone": not found ' +
          '(ResourceNotFoundException: Requested resource not found): ' +
          'check the name and the Region, or deploy the stack',
      ),
    );
  });

  test('tell throttling, missing rights and failures apart', async () => {
    const answers = [
      [400, 'ProvisionedThroughputExceededException', 'slow down'],
      [400, 'AccessDeniedException', 'not authorized'],
      [500, 'InternalServerError', 'oops'],
    ] as const;
    const errors = [];
    for (const [status, type, message] of answers) {
      const failing = await serveOnLoopback((request, response) => {
        request.resume();
        response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
        response.end(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message }));
      });
      errors.push(await errorOf(failing.endpoint, (table) => table.putIfAbsent(key, 1)));
      await failing.close();
    }
    const deed = 'cannot write item "run 1 turn#1" to table "gone"';
    expect(errors).toEqual([
      new StoreUnavailableError(
        `${deed}: too many requests (ProvisionedThroughputExceededException: slow down): ` +
          'try again later or raise its limits',
      ),
      new StoreError(
        `${deed}: access denied (AccessDeniedException: not authorized): ` +
          'check the credentials and the permissions of their role',
      ),
      new StoreUnavailableError(
        `${deed}: the service refused the request (InternalServerError: oops): ` +
          'try again; if it persists, look at the service',
      ),
    ]);
  });

  test('say that no answer came', async () => {
    const { endpoint, close } = await serveOnLoopback(() => {});
    await close();
    const error = await errorOf(endpoint, (table) => table.putIfAbsent(key, 1));
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(error).toMatchObject({
      message: expect.stringMatching(
        /^cannot write item "run 1 turn#1" to table "gone": no answer \(.*ECONNREFUSED.*\): check the network/,
      ),
    });
  });
});
