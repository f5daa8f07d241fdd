import { expect, onTestFinished, test, vi } from 'vitest';
import { openLedger } from '../../../src/core/records/ledger.ts';
import { NOTHING } from '../../../src/core/records/amounts.ts';
import type { Run } from '../../../src/core/records/run.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createFolderBlobs } from '../../../src/places/local/store/folder-blobs.ts';
import { openLmdbTable } from '../../../src/places/local/store/lmdb/table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { aRun } from '../../fixtures/records.ts';

const ID = 'top-00000000000000';
const run = aRun();

/** A store in which another process is always faster, for so many writes. */
async function contestedStore(losses: number) {
  const folder = await tempFolder();
  const table = await openLmdbTable(folder);
  onTestFinished(() => table.close());
  const store = createRunStore(table, createDocuments(table, createFolderBlobs(folder)));
  await store.insertRun(run);
  await store.changeLedger(ID, () => ({ ledger: openLedger({ tokens: 1 }) }));
  // The loser waits for a random part of its delay: for none of it.
  vi.spyOn(Math, 'random').mockReturnValue(0);
  const write = table.putIfVersion.bind(table);
  const writes = vi.spyOn(table, 'putIfVersion');
  writes.mockImplementation((...item) =>
    writes.mock.calls.length > losses ? write(...item) : Promise.resolve(undefined),
  );
  return { store, writes };
}

const rename = (current: Run) => ({ ...current, task: 'another' });

test('a record that others change meanwhile is changed by the last of ten attempts', async () => {
  const { store } = await contestedStore(9);
  expect(await store.updateRun(ID, rename)).toEqual({ ...run, task: 'another' });
});

test('a record that others always change faster stays as it is, and the change fails', async () => {
  const { store, writes } = await contestedStore(Infinity);
  await expect(store.updateRun(ID, rename)).rejects.toMatchObject({
    name: 'StoreUnavailableError',
    message: `the record of run "${ID}" changes too often to be updated; try again`,
  });
  expect(writes).toHaveBeenCalledTimes(10);
  expect(await store.run(ID)).toEqual(run);
});

test('a ledger that others change faster 100 times stays as it is, and can be changed later', async () => {
  const { store, writes } = await contestedStore(100);
  const spend = () =>
    store.changeLedger(ID, (kept) => ({ ledger: kept && { ...kept, used: { ...NOTHING, tokens: 1 } } }));
  await expect(spend()).rejects.toMatchObject({
    name: 'StoreUnavailableError',
    message: `the ledger of run "${ID}" changes too often to be updated; try again`,
  });
  expect(writes).toHaveBeenCalledTimes(100);
  expect((await store.ledger(ID))?.used.tokens).toBe(0);
  expect((await spend()).ledger?.used.tokens).toBe(1);
});
