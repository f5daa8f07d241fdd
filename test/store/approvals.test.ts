import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { NO_USAGE, type Run } from '../../src/runs/run.ts';
import { createDocuments } from '../../src/store/documents.ts';
import { createDynamoTable } from '../../src/store/dynamodb/table.ts';
import { openLmdbTable } from '../../src/store/lmdb/table.ts';
import { createRunStore } from '../../src/store/runs.ts';
import type { Table } from '../../src/store/table.ts';
import { createDynamoDbTable, dynamoDbClient, startDynamoDb } from '../fixtures/dynamodb.ts';
import type { LoopbackServer } from '../fixtures/loopback.ts';
import { NO_BLOBS } from '../../src/store/memory-table.ts';
import { tempFolder } from '../fixtures/temp-folder.ts';

let dynamo: LoopbackServer;
beforeAll(async () => {
  dynamo = await startDynamoDb();
  await createDynamoDbTable(dynamo.endpoint, 'cadre');
});
afterAll(() => dynamo.close());

async function inLmdb(): Promise<Table> {
  const table = await openLmdbTable(join(await tempFolder(), 'store'));
  onTestFinished(() => table.close());
  return table;
}

async function inDynamoDb(): Promise<Table> {
  const table = createDynamoTable({ client: dynamoDbClient(dynamo.endpoint), tableName: 'cadre' });
  onTestFinished(() => table.close());
  return table;
}

const id = 'top-00000000000000';
const run: Run = {
  id,
  root: id,
  path: '',
  agent: 'top',
  model: 'm/x',
  depth: 0,
  status: 'running',
  startedAt: '2026-01-01T00:00:00.000Z',
  task: 'go',
  holder: 1,
  execution: 'arn',
  timeout: 9,
  usage: NO_USAGE,
};

describe.each([
  ['LMDB', inLmdb],
  ['DynamoDB', inDynamoDb],
])('approvals in %s', (_, openTable) => {
  test('are kept with the call, whoever is first, and hold for a tool in one run until its tree is deleted', async () => {
    const table = await openTable();
    const store = createRunStore(table, createDocuments(table, NO_BLOBS));
    const other = 'top-00000000000001';
    for (const each of [id, other]) await store.insertRun({ ...run, id: each, root: each });
    const at = { run: id, turn: 1, call: 1 };
    const asked = await store.saveQuestion({
      ...at,
      root: id,
      agent: 'top',
      question: 'Allow write_file: a?',
      choices: ['approve', 'deny', 'always'],
      approval: { tool: 'write_file', arguments: { path: 'a', deep: [{ x: 1 }] } },
      askedAt: run.startedAt,
    });
    const always = { text: 'always', decision: 'always' as const, by: 'ann', at: run.startedAt };
    expect(await store.saveAnswer(asked, always)).toEqual(always);
    expect(await store.saveAnswer(asked, { text: 'deny', decision: 'deny', at: run.startedAt })).toEqual(
      always,
    );
    expect(await store.question(at)).toEqual(asked);

    expect(await store.standingApproval(id, 'write_file')).toBeUndefined();
    await store.saveStandingApproval(id, 'write_file', { by: 'ann', at: run.startedAt });
    await store.saveStandingApproval(id, 'write_file', { by: 'bob', at: run.startedAt });
    expect(await store.standingApproval(id, 'write_file')).toEqual({ by: 'ann', at: run.startedAt });
    expect(await store.standingApproval(id, 'write_files')).toBeUndefined();
    expect(await store.standingApproval(other, 'write_file')).toBeUndefined();

    await store.updateRun(id, (current) => ({ ...current, status: 'stopped' }));
    await store.deleteTree(id);
    expect(await store.standingApproval(id, 'write_file')).toBeUndefined();
    expect(await store.answer(at)).toBeUndefined();
  });
});
