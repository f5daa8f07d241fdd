import { expect, test } from 'vitest';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { openEntry } from '../../../src/places/store/index-entries.ts';
import { createMemoryBlobs, createMemoryTable } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { aRun, keepRun } from '../../fixtures/records.ts';

async function refuse(): Promise<never> {
  throw new Error('AccessDeniedException');
}

test('trees under way are listed by those who may only read, although an entry outlives what it says', async () => {
  const table = createMemoryTable();
  const documents = createDocuments(table, createMemoryBlobs());
  const over = aRun({ status: 'failed', endedAt: new Date(0).toISOString() });
  await keepRun(createRunStore(table, documents), over);
  const { key, value } = openEntry(over);
  await table.putIfAbsent(key, value);
  const readOnly = { ...table, putIfAbsent: refuse, putIfVersion: refuse, delete: refuse };
  const store = createRunStore(readOnly, documents);
  expect(await store.listTrees({ limit: 10, statuses: ['running'] })).toEqual({ trees: [] });
});
