import { expect, test } from 'vitest';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { NOTHING } from '../../../src/core/records/amounts.ts';
import { openLedger, reserve } from '../../../src/core/records/ledger.ts';
import type { Message } from '../../../src/core/records/message.ts';
import { chargeTurn } from '../../../src/core/spending/charge.ts';
import { createPrices } from '../../../src/core/spending/prices.ts';
import { anOpened, aRun, aTurn } from '../../fixtures/records.ts';

const run = aRun();
const budget = { nanoUsd: 1_000 };
const found: Message = {
  role: 'tool',
  results: [{ callId: 'c1', name: 'web_search', text: 'found', isError: false, nanoUsd: 80 }],
};

/** What is spent once two functions have answered a turn that is told of a search. */
async function spentOnTwo(turn: Parameters<typeof aTurn>[0]): Promise<number | undefined> {
  const store = createRunStore(createMemoryTable(), createDocuments(createMemoryTable(), NO_BLOBS));
  const ports = { store, prices: createPrices(), now: Date.now };
  const opened = anOpened({ budget });
  for (const owner of ['one', 'other']) {
    await store.changeLedger(run.id, (kept = openLedger(budget)) => ({
      ledger: reserve(kept, owner, { turn: 2, amounts: { ...NOTHING, nanoUsd: 200 } }),
    }));
  }
  for (const owner of ['one', 'other']) {
    const ledger = await store.ledger(run.id);
    const made = aTurn({ number: 2, received: [found], ...turn });
    await chargeTurn({ run, opened, ledger, owner }, made, [], ports);
  }
  return (await store.ledger(run.id))?.used.nanoUsd;
}

test.each([
  ['its provider has counted', { nanoUsd: 110 }, 30 + 30 + 80],
  [
    'nobody has counted',
    { nanoUsd: 110, answer: { usage: { inputTokens: 1, outputTokens: 1, isEstimate: true as const } } },
    200 + 200 + 80,
  ],
  ['has no known price', {}, 80],
])('calls are paid for once, where a turn of theirs is answered twice that %s', async (_, turn, expected) => {
  expect(await spentOnTwo(turn)).toBe(expected);
});
