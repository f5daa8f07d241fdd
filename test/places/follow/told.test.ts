import { expect, test } from 'vitest';
import type { RunStore } from '../../../src/core/records/ports.ts';
import { createFollow } from '../../../src/places/follow/follow.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { createFeed } from '../../../src/places/follow/feed.ts';
import { anOpened, aRun, aSubAgent, aTurn, keepRun } from '../../fixtures/records.ts';

test('who follows a tree from where it has come to reads nothing again of the runs that had ended', async () => {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  const top = aRun();
  const kid = aSubAgent(top, { status: 'succeeded' });
  for (const run of [top, kid]) {
    await keepRun(store, run);
    await store.saveOpened(run.id, anOpened());
    await store.saveTurn(run.id, aTurn({ answer: { text: 'so' } }));
  }
  const read: string[] = [];
  const noted: RunStore = {
    ...store,
    turns(id) {
      read.push(id);
      return store.turns(id);
    },
  };
  const feed = createFeed();
  const { told, follow } = createFollow({ store: noted, isCarriedOut: async () => true, pollMs: 1, feed });
  const from = await told(top.id);
  expect(read).toEqual([top.id, kid.id]);
  const events = follow(top.id, { from, signal: new AbortController().signal, until: Promise.resolve() });
  for await (const told of events) expect.unreachable(told.event.type);
  expect(read).toEqual([top.id, kid.id]);
});
