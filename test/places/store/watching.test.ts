import { expect, test } from 'vitest';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryBlobs } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { treeKey } from '../../../src/core/records/run-id.ts';
import { aRun } from '../../fixtures/records.ts';
import { openLateTable } from '../../fixtures/late-table.ts';

function openStore() {
  const table = openLateTable();
  return { table, store: createRunStore(table, createDocuments(table, createMemoryBlobs())) };
}

test('a note that somebody watches lies apart from the records of its tree, and goes with them', async () => {
  const { table, store } = openStore();
  const run = await store.insertRun(aRun());
  await store.watch(run.id, 1_000);
  await store.watch(run.id, 2_000);
  const note = { partition: `watch#${treeKey(run.id)}`, sort: 'watch' };
  expect([(await table.get(note))?.value, await store.watchedUntil(run.id)]).toEqual([2_000, 2_000]);
  await store.deleteTrees([run.id]);
  expect(await table.get(note)).toBeUndefined();
});

test('a note of an earlier release, among the records of the tree, counts as well', async () => {
  const { table, store } = openStore();
  const run = aRun();
  await table.putIfAbsent({ partition: `tree#${treeKey(run.id)}`, sort: 'watch' }, 3_000);
  await store.watch(run.id, 2_000);
  expect(await store.watchedUntil(run.id)).toBe(3_000);
});
