import { expect, test } from 'vitest';
import { NOTHING } from '../../../src/core/records/amounts.ts';
import { free, openLedger, takeBack } from '../../../src/core/records/ledger.ts';
import { firstLedger } from '../../../src/core/spending/refill.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { aRun, aSubAgent, keepRun } from '../../fixtures/records.ts';

const given = { tokens: 100, runs: 5 };
const taken = { given, back: given };

test('a sub-agent that begins once its share was taken back has nothing of it', async () => {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  const top = aRun();
  const kid = aSubAgent(top);
  for (const run of [top, kid]) await keepRun(store, run);
  await store.changeLedger(top.id, () => ({
    ledger: { ...openLedger({ tokens: 1_000, runs: 10 }), shares: { [kid.id]: taken } },
  }));
  const ledger = await firstLedger(kid, { tokens: 1_000 }, store);
  expect(free(ledger)).toEqual({ ...free(openLedger({ tokens: 0, runs: 0 })) });
});

test('what a sub-agent spends of a share that was taken back meanwhile is charged all the same', () => {
  const top = { ...openLedger({ tokens: 1_000, runs: 10 }), shares: { kid: taken } };
  expect(free(top).tokens).toBe(1_000);
  const said = { returned: { ...NOTHING, tokens: 98, runs: 5 }, spent: { ...NOTHING, tokens: 2 } };
  expect(free(takeBack(top, new Map([['kid', said]]))).tokens).toBe(998);
  const settled = takeBack(top, new Map([['kid', { ...said, settledAt: given }]]));
  expect([free(settled).tokens, settled.used.tokens, settled.shares]).toEqual([998, 2, {}]);
});
