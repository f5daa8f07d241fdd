import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, test } from 'vitest';
import { createDynamoTable } from '../../../src/places/aws/store/dynamodb/table.ts';
import { createS3Blobs } from '../../../src/places/aws/store/s3/blobs.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { aRun } from '../../fixtures/records.ts';

const clients = { dynamo: new DynamoDBClient({}), s3: new S3Client({}) };
const dynamo = mockClient(clients.dynamo);
const s3 = mockClient(clients.s3);
beforeEach(() => {
  dynamo.reset();
  s3.reset();
});

const table = createDynamoTable({ client: clients.dynamo, tableName: 'runs' });
const blobs = createS3Blobs({ client: clients.s3, bucket: 'texts', prefix: 'runs/' });
const KEY = { partition: 'p', sort: 's' };

function refusal(name: string, status: number): Error {
  return Object.assign(new Error('slow down'), { name, $metadata: { httpStatusCode: status } });
}

test.each(['ProvisionedThroughputExceededException', 'RequestLimitExceeded', 'ThrottlingException'])(
  'a table that is asked too often says so: %s',
  async (name) => {
    dynamo.rejects(refusal(name, 400));
    const message = expect.stringMatching(
      new RegExp(
        `^cannot .* table "?runs"?: too many requests \\(${name}: slow down\\): try again later or raise its limits$`,
      ),
    );
    await expect(table.get(KEY)).rejects.toMatchObject({ name: 'StoreUnavailableError', message });
    await expect(table.putIfAbsent(KEY, {})).rejects.toMatchObject({
      name: 'StoreUnavailableError',
      message,
    });
    expect(dynamo.calls().map(({ args }) => args[0].constructor)).toEqual([GetItemCommand, PutItemCommand]);
  },
);

test.each(['SlowDown', 'TooManyRequestsException'])(
  'a bucket that is asked too often says so: %s',
  async (name) => {
    s3.rejects(refusal(name, 503));
    const reason = `too many requests (${name}: slow down): try again later or raise its limits`;
    await expect(blobs.put('a', 'text')).rejects.toMatchObject({
      name: 'StoreUnavailableError',
      message: `cannot write blob "runs/a" to bucket "texts": ${reason}`,
    });
    await expect(blobs.get('a')).rejects.toMatchObject({
      name: 'StoreUnavailableError',
      message: `cannot read blob "runs/a" of bucket "texts": ${reason}`,
    });
    expect(s3.calls().map(({ args }) => args[0].constructor)).toEqual([PutObjectCommand, GetObjectCommand]);
  },
);

type Fake = () => Promise<object>;
test.each<[what: string, ask: () => Promise<unknown>, stub: (fake: Fake) => void]>([
  ['table', () => table.get(KEY), (fake) => void dynamo.callsFake(fake)],
  ['bucket', () => blobs.put('a', 'text'), (fake) => void s3.callsFake(fake)],
])('a %s is asked no more at once than there are connections to it', async (_, ask, stub) => {
  let most = 0;
  const waiting: (() => void)[] = [];
  stub(async () => {
    const answered = new Promise<void>((resolve) => waiting.push(resolve));
    most = Math.max(most, waiting.length);
    // All that can be under way is, by then.
    setImmediate(() => waiting.shift()?.());
    await answered;
    return {};
  });
  await Promise.all(Array.from({ length: 200 }, ask));
  expect(most).toBeLessThanOrEqual(50);
  expect(most).toBeGreaterThan(10);
});

test('a function that could not begin a run while its table was asked too often begins the next one', async () => {
  const kept = createMemoryTable();
  let isThrottled = true;
  const asked: typeof kept = {
    ...kept,
    async putIfAbsent(...given) {
      if (isThrottled) throw refusal('ThrottlingException', 400);
      return kept.putIfAbsent(...given);
    },
  };
  const store = createRunStore(asked, createDocuments(asked, NO_BLOBS));
  const run = aRun();
  await expect(store.insertRun(run)).rejects.toThrow('slow down');
  isThrottled = false;
  expect(await store.insertRun(run)).toEqual(run);
});
