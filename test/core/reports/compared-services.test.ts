import { expect, test } from 'vitest';
import { compareServices } from '../../../src/core/reports/compared-services.ts';
import { createPrices } from '../../../src/core/spending/prices.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { aRun, aTurn, keepRun } from '../../fixtures/records.ts';

const PRICE = { input: 1_000, output: 2_000, cacheRead: 100, cacheWrite: 1_250 };
const prices = createPrices(new Map([['openai/own', PRICE]]));

/** Of one agent whose turns were asked in batches, with prompts of so many tokens and answers of ten. */
async function compared(...prompts: number[]) {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  const run = aRun({ model: 'openai/own', status: 'succeeded' });
  await keepRun(store, run);
  for (const [index, inputTokens] of prompts.entries()) {
    const usage = { inputTokens, outputTokens: 10, service: 'batch' as const };
    await store.saveTurn(run.id, aTurn({ number: index + 1, answer: { usage } }));
  }
  return compareServices(store, {}, prices);
}

test.each([
  ['one that nothing follows keeps nothing', [1_024], 0, 1_044_000_000, 522_000_000],
  ['what the next goes on with is kept', [1_024, 1_024], 1_024, 1_422_400_000, 1_044_000_000],
  ['of a prompt that is too short nothing is kept', [1_023, 1_023], 0, 2_086_000_000, 1_043_000_000],
])(
  'turns of batches are compared with turns that are asked at once: %s',
  async (_, prompts, cached, alone, batch) => {
    expect(await compared(...prompts)).toEqual({
      trees: 1,
      agents: [
        {
          agent: 'top',
          turns: prompts.length,
          batched: prompts.length,
          promptTokens: prompts.reduce((sum, each) => sum + each),
          cachedTokens: cached,
          aloneNanoUsd: alone,
          batchNanoUsd: batch,
        },
      ],
    });
  },
);
