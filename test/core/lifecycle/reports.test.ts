import { expect, test } from 'vitest';
import { report } from '../../../src/core/lifecycle/report.ts';
import { NOTHING_RUNS } from '../../../src/core/lifecycle/ports.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { anOpened, aRun, aTurn } from '../../fixtures/records.ts';

test.each([
  ['another one', 'top-00000000000001', 1],
  ['itself', aRun().id, 0],
])('an agent whose writer was %s tells that one of its end: %s', async (_, wokenBy, told) => {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  const run = aRun({ wokenBy });
  for (const one of new Set([run.id, wokenBy])) {
    await store.insertRun(aRun({ id: one, root: one }));
    await store.saveOpened(one, anOpened());
  }
  await report(run, [aTurn()], { status: 'succeeded' }, { ...NOTHING_RUNS, store, now: Date.now });
  expect(await store.mails(wokenBy)).toHaveLength(told);
});
