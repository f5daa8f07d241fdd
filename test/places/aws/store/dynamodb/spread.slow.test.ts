import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDynamoTable } from '../../../../../src/places/aws/store/dynamodb/table.ts';
import { treeKey } from '../../../../../src/core/records/run-id.ts';
import { createDocuments } from '../../../../../src/places/store/documents.ts';
import { createMemoryBlobs } from '../../../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../../../src/places/store/runs.ts';
import type { Table } from '../../../../../src/places/store/table.ts';
import { createDynamoDbTable, dynamoDbClient, startDynamoDb } from '../../../../fixtures/dynamodb.ts';
import type { LoopbackServer } from '../../../../fixtures/loopback.ts';
import { aRun } from '../../../../fixtures/records.ts';

let server: LoopbackServer;
beforeAll(async () => {
  server = await startDynamoDb();
});
afterAll(() => server.close());

/** A table of its own, as this release uses it and as earlier ones did. */
async function openTables(tableName: string) {
  await createDynamoDbTable(server.endpoint, tableName);
  const client = dynamoDbClient(server.endpoint);
  return {
    client,
    now: createDynamoTable({ client, tableName }),
    before: createDynamoTable({ client, tableName, isSpread: () => false }),
  };
}

const storeIn = (table: Table) => createRunStore(table, createDocuments(table, createMemoryBlobs()));
const topOf = (number: number) => {
  const id = `top-${(1_000_000 + number).toString(36).padStart(9, '0')}aaaaa`;
  return aRun({ id, root: id });
};

/** How many items each answer to a query held, and of which partition it was. */
function countQueries(client: DynamoDBClient): Map<string, number> {
  const counted = new Map<string, number>();
  client.middlewareStack.add(
    (next) => async (sent) => {
      const answer = await next(sent);
      const { ExpressionAttributeValues: values } = Object(sent.input);
      const partition = values?.[':partition']?.S;
      const { Count: count } = Object(answer.output);
      if (partition !== undefined) counted.set(partition, (counted.get(partition) ?? 0) + count);
      return answer;
    },
    { step: 'initialize' },
  );
  return counted;
}

test('trees of earlier releases are listed among newer ones, and taken off the lists', async () => {
  const { now, before } = await openTables('upgraded');
  const runs = Array.from({ length: 40 }, (_, number) => topOf(number));
  const ids = runs.map(({ id }) => id).reverse();
  for (const [number, run] of runs.entries()) await storeIn(number % 3 === 0 ? now : before).insertRun(run);
  const store = storeIn(now);
  const pages: string[][] = [];
  let after: string | undefined;
  do {
    const { trees, next } = await store.listTrees({ limit: 7, after });
    pages.push(trees.map(({ top }) => top.id));
    after = next;
  } while (after !== undefined);
  expect(pages.flat()).toEqual(ids);
  expect(pages.map(({ length }) => length)).toEqual([7, 7, 7, 7, 7, 5]);

  const [old = expect.fail(), kept = expect.fail()] = [runs[1], runs[0]];
  await store.updateRun(old.id, (run) => ({ ...run, status: 'failed', endedAt: '2026-03-03T12:00:00.000Z' }));
  const open = await store.listTrees({ limit: 100, statuses: ['running'] });
  expect(open.trees.map(({ top }) => top.id)).toEqual(ids.filter((id) => id !== old.id));
  for (const run of [old, kept]) await store.deleteTrees([run.id]);
  const left = await store.listTrees({ limit: 100 });
  expect(left.trees.map(({ top }) => top.id)).toEqual(ids.filter((id) => ![old.id, kept.id].includes(id)));
});

test('a list is spread evenly over eight partitions, and its first page reads little of each', async () => {
  const { client, now } = await openTables('large');
  const store = storeIn(now);
  const numbers = [...Array(400).keys()];
  for (const number of numbers.slice(0, -20)) {
    const run = topOf(number).id;
    await now.putIfAbsent({ partition: 'runs', sort: treeKey(run) }, { run });
  }
  for (const number of numbers.slice(-20)) await store.insertRun(topOf(number));
  const counted = countQueries(client);
  const { trees } = await store.listTrees({ limit: 20 });
  expect(trees.map(({ top }) => top.id)).toEqual(
    numbers
      .slice(-20)
      .map((number) => topOf(number).id)
      .reverse(),
  );
  const read = [...counted.values()].reduce((sum, count) => sum + count, 0);
  expect(read).toBeLessThanOrEqual(8 * 16);

  counted.clear();
  for await (const _ of now.query('runs', '')) {
    // Only what is asked for counts.
  }
  const shards = [...counted].filter(([, count]) => count > 0);
  expect(shards.map(([partition]) => partition).sort()).toEqual(
    numbers.slice(0, 8).map((shard) => `runs#${shard}`),
  );
  for (const [, count] of shards) expect(count).toBeLessThan((2 * numbers.length) / 8);
});
