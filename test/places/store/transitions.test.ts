import { describe, expect, test } from 'vitest';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { bothTables } from '../../fixtures/both-tables.ts';
import { aFork, aRun, STATUSES } from '../../fixtures/records.ts';

const { inLmdb, inDynamoDb } = bothTables();
const top = aRun();

describe.each([
  ['memory', async () => createMemoryTable()],
  ['LMDB', inLmdb],
  ['DynamoDB', inDynamoDb],
])('a store in %s', (_, openTable) => {
  test('lets runs begin as running, ahead of an execution if need be, forks without one as idle, and no others', async () => {
    const table = await openTable();
    const store = createRunStore(table, createDocuments(table, NO_BLOBS));
    const begun: string[] = [];
    for (const [index, status] of STATUSES.entries()) {
      for (const holder of [0, 1]) {
        const fork = aFork(top, { path: `t${index + 1}c${holder + 1}`, status, holder });
        const first = { ...fork, execution: holder === 0 ? '' : 'arn' };
        const insert = store.insertRun(first);
        if (!['running 0', 'running 1', 'idle 0'].includes(`${status} ${holder}`)) {
          await expect(insert).rejects.toThrow(
            `run "${first.id}" cannot begin as ${status} (holder ${holder})`,
          );
        } else begun.push((await insert).status);
      }
    }
    expect(begun).toEqual(['running', 'running', 'idle']);
    expect((await store.tree(top.id)).map(({ status }) => status)).toEqual(begun);
  });

  test('refuses a change that no part of the code makes, and keeps the record', async () => {
    const table = await openTable();
    const store = createRunStore(table, createDocuments(table, NO_BLOBS));
    const run = aRun({ id: 'top-00000000000009' });
    await store.insertRun(run);
    await expect(store.updateRun(run.id, (one) => ({ ...one, holder: 0 }))).rejects.toThrow(
      `run "${run.id}" cannot become running (holder 0): it is running (holder 1)`,
    );
    expect(await store.run(run.id)).toEqual(run);
  });
});
