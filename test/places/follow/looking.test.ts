import { expect, onTestFinished, test, vi } from 'vitest';
import { createTreeReader } from '../../../src/core/events/tree-reader.ts';
import { createLooking, type OwnNews } from '../../../src/places/follow/looking.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { loadOwnTools } from '../../../src/tools/load-own-tools.ts';
import { anOpened, aRun, aTurn, keepRun } from '../../fixtures/records.ts';

test('a look has news where something was written since the one before, and not otherwise', async () => {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  const top = aRun();
  const reader = createTreeReader(top, store, loadOwnTools, Date.now);
  const nothing: OwnNews = { changed: new Map(), heard: new Set() };
  let own = nothing;
  const look = createLooking(
    top,
    reader,
    { takeNews: () => own, isWatched: () => false },
    { store, isCarriedOut: async () => true, pollMs: 0, carries: () => false, now: Date.now },
  );
  const saysTwice = async () => [(await look(true)).hasNews, (await look(true)).hasNews];

  expect(await saysTwice()).toEqual([false, false]);
  await keepRun(store, top);
  expect(await saysTwice()).toEqual([true, false]);
  await store.saveOpened(top.id, anOpened());
  expect(await saysTwice()).toEqual([true, false]);
  await store.saveTurn(top.id, aTurn({ answer: { text: 'so' } }));
  expect(await saysTwice()).toEqual([true, false]);
  own = { ...nothing, changed: new Map([[top.id, undefined]]) };
  expect(await saysTwice()).toEqual([false, false]);
  own = { ...nothing, heard: new Set([top.id]) };
  expect(await saysTwice()).toEqual([true, true]);
});

test('a tree that has ended and been let go of since it was read is not taken for one without a carrier', async () => {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  const top = aRun();
  await keepRun(store, top);
  let isCarried = true;
  const time = vi.spyOn(performance, 'now').mockReturnValue(1_000);
  onTestFinished(() => time.mockRestore());
  const look = createLooking(
    top,
    createTreeReader(top, store, loadOwnTools, Date.now),
    { takeNews: () => ({ changed: new Map(), heard: new Set() }), isWatched: () => false },
    {
      store,
      isCarriedOut: async () => isCarried,
      pollMs: 60_000,
      carries: () => false,
      now: Date.now,
    },
  );
  await look(false);
  await store.updateRun(top.id, (run) => ({ ...run, status: 'succeeded', endedAt: run.startedAt }));
  isCarried = false;
  time.mockReturnValue(2_000);
  const seen = async (isAsked: boolean) => {
    const { isAbandoned, records } = await look(isAsked);
    return { isAbandoned, status: records.runs.get(top.id)?.run.status };
  };
  expect(await seen(false)).toEqual({ isAbandoned: false, status: 'running' });
  expect(await seen(true)).toEqual({ isAbandoned: false, status: 'succeeded' });
});
