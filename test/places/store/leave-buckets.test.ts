import { expect, test } from 'vitest';
import { joinBucket } from '../../../src/core/batches/join-bucket.ts';
import type { PendingTurn } from '../../../src/core/records/batched.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryBlobs } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { keysOf } from '../../../src/places/store/table.ts';
import { aRun } from '../../fixtures/records.ts';
import { openLateTable } from '../../fixtures/late-table.ts';

const pendingTurn = (id: string): PendingTurn => ({
  turn: 1,
  id,
  model: 'anthropic/claude-sonnet-4-5',
  endpoint: '/v1/messages',
  lane: 'anthropic-0123',
  askedAt: 0,
  attempt: 0,
  until: 60_000,
  maxTokens: 4_096,
  sent: { number: 1, received: [], messages: 1 },
  // Too long for an item.
  body: 'x'.repeat(100_000),
});

test('what is kept of batches goes with the last tree that had a turn in them', async () => {
  const table = openLateTable();
  const store = createRunStore(table, createDocuments(table, createMemoryBlobs()));
  const batches = await store.batches();
  const ports = { batches, openBucket: async () => {}, now: () => 0 };
  const tops = ['top-00000000000001', 'top-00000000000002'];
  const buckets = await Promise.all(
    tops.map(async (id) => {
      await store.insertRun(aRun({ id, root: id }));
      await batches.savePendingTurn(id, pendingTurn(`request of ${id}`));
      return joinBucket(id, pendingTurn(`request of ${id}`), ports);
    }),
  );
  const [bucket = ''] = buckets;
  expect(new Set(buckets).size).toBe(1);
  await batches.planBucket(bucket, { at: 0, parts: [await batches.bucketMembers(bucket)] });
  await batches.notePart(bucket, 0, 'submitted', { at: 0, batch: 'msgbatch_1' });
  await batches.nameBatch('msgbatch_1', { bucket, part: 0 });

  await store.deleteTrees(tops.slice(0, 1));
  expect((await batches.bucketMembers(bucket)).map(({ run }) => run)).toEqual(tops.slice(1));
  expect((await batches.bucket(bucket)).started).toEqual({ at: 0 });
  await store.deleteTrees(tops.slice(1));
  const left = ['batches', `batch#${bucket}`].map((partition) => keysOf(partition, '', table));
  expect(await Promise.all(left)).toEqual([[], []]);
});
