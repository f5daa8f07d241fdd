import { expect, test } from 'vitest';
import { isRunId } from '../../../src/core/records/run-id.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { treeEntry } from '../../../src/places/store/index-entries.ts';
import { TREES } from '../../../src/places/store/partitions.ts';
import { createMemoryBlobs, createMemoryTable } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { aRun } from '../../fixtures/records.ts';

const NOON = Date.parse('2026-03-03T12:00:00.000Z');

/** The id of one of several trees that began in the same millisecond. */
const idAt = (agent: string, millisecond: number, number = 0) =>
  `${agent}-${(NOON + millisecond).toString(36).padStart(8, '0')}${String(number).padStart(6, 'a')}`;

test('a page that looks through trees of others says from when to go on, and names none of them', async () => {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, createMemoryBlobs()));
  const put = (id: string, owner: string) => store.insertRun(aRun({ id, root: id, owner }));
  const [oldest, newest] = [idAt('mine', 0), idAt('mine', 9_000)];
  await put(oldest, 'ann');
  // More than a page looks through, three at a time.
  for (let number = 0; number < 12_000; number++) {
    const id = idAt('theirs', 1 + Math.floor(number / 3), number % 3);
    const { key, value } = treeEntry(TREES, aRun({ id, root: id, owner: 'bob' }));
    await table.putIfAbsent(key, value ?? {});
  }
  await put(newest, 'ann');
  const first = await store.listTrees({ limit: 10, owner: { owner: 'ann' } });
  expect(first.trees.map(({ top }) => top.id)).toEqual([newest]);
  expect(first.next).toMatch(/^before-[0-9a-z]{8}000000$/);
  expect(isRunId(first.next ?? '')).toBe(true);
  const second = await store.listTrees({ limit: 10, owner: { owner: 'ann' }, after: first.next });
  expect([second.trees.map(({ top }) => top.id), second.next]).toEqual([[oldest], undefined]);
  // Nothing was looked at twice: both pages together are all that there is.
  const all = await store.listTrees({ limit: 1, after: first.next });
  expect(all.next).toMatch(/^(theirs|mine)-/);
});
