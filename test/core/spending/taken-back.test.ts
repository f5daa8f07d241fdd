import { expect, test } from 'vitest';
import { free, openLedger } from '../../../src/core/records/ledger.ts';
import { firstLedger } from '../../../src/core/spending/refill.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { aRun, aSubAgent, keepRun } from '../../fixtures/records.ts';

test('a sub-agent that begins once its share was taken back has nothing of it', async () => {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  const top = aRun();
  const kid = aSubAgent(top);
  for (const run of [top, kid]) await keepRun(store, run);
  const given = { tokens: 100, runs: 5 };
  await store.changeLedger(top.id, () => ({
    ledger: { ...openLedger({ tokens: 1_000, runs: 10 }), shares: { [kid.id]: { given, back: given } } },
  }));
  const ledger = await firstLedger(kid, { tokens: 1_000 }, store);
  expect(free(ledger)).toEqual({ ...free(openLedger({ tokens: 0, runs: 0 })) });
});
