import { expect, test } from 'vitest';
import { advanceBucket, type BucketLook } from '../../../src/core/batches/advance-bucket.ts';
import { joinBucket } from '../../../src/core/batches/join-bucket.ts';
import type { BatchPorts } from '../../../src/core/batches/ports.ts';
import type { BatchApi, BatchResult } from '../../../src/core/model/batch-api.ts';
import { batchOwner, type PendingTurn } from '../../../src/core/records/batched.ts';
import { NOTHING } from '../../../src/core/records/amounts.ts';
import { reopened } from '../../../src/core/records/reopened.ts';
import { usageOf } from '../../../src/core/records/turn.ts';
import { closeRun, countLate } from '../../../src/core/turn/close.ts';
import { createPrices } from '../../../src/core/spending/prices.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { aRun, aTurn, keepRun } from '../../fixtures/records.ts';

const START = Date.parse('2030-01-01T00:00:30Z');
const MODEL = 'anthropic/claude-sonnet-4-5';
/** One that rests without an execution. */
const RUN = aRun({ model: MODEL, beside: true });
const PENDING: PendingTurn = {
  turn: 2,
  id: 'a'.repeat(40),
  model: MODEL,
  endpoint: '/v1/messages',
  lane: 'a'.repeat(24),
  askedAt: START,
  attempt: 0,
  until: START + 3_600_000,
  maxTokens: 9,
  sent: { number: 2, received: [], messages: 1 },
  body: '{}',
};
const FIRST = aTurn({ answer: { usage: { inputTokens: 10, outputTokens: 1 } } });
const ALONE = aTurn({ number: 2, answer: { usage: { inputTokens: 20, outputTokens: 2 } } });
/** 100 tokens and 10 more at half of $3 and $15 for a million. */
const BATCHED = { inputTokens: 100, outputTokens: 10, service: 'batch' } as const;
const UNUSED = { turn: 2, usage: BATCHED, nanoUsd: 225_000 };

/** A run that waits for a batch, and a provider that says this once it is looked at and the batch is over. */
async function waiting(result: BatchResult, isOver = () => true) {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  const batches = await store.batches();
  let now = START;
  const api: BatchApi = {
    account: 'ours',
    toBody: async () => ({ endpoint: '/v1/messages', body: '{}' }),
    toAnswer: () => {
      throw new Error('no turn is made here');
    },
    spentOn: () => BATCHED,
    create: async () => 'batch',
    find: async () => [],
    isOver: async () => isOver(),
    async *results() {
      yield { id: PENDING.id, result };
    },
    cancel: async () => {},
  };
  const ports: BatchPorts = {
    store,
    models: {
      open: async (name) => ({
        name,
        model: { send: () => Promise.reject(new Error('alone')), batches: async () => api },
      }),
    },
    prices: createPrices(),
    wake: async () => {},
    openBucket: async () => {},
    now: () => now,
    invocation: () => 'one',
    sleep: async () => {},
  };
  await keepRun(store, RUN);
  await store.saveTurn(RUN.id, FIRST);
  await batches.savePendingTurn(RUN.id, PENDING);
  const reserved = { turn: 2, amounts: { ...NOTHING, tokens: 500 } };
  await store.changeLedger(RUN.id, () => ({
    ledger: {
      received: { tokens: 1_000 },
      returned: NOTHING,
      used: NOTHING,
      settled: 1,
      reserved: { [batchOwner(RUN.id, 2)]: reserved },
      shares: {},
    },
  }));
  const bucket = await joinBucket(RUN.id, PENDING, { ...ports, batches });
  return {
    store,
    batches,
    async look(afterMs = 65_000): Promise<BucketLook> {
      now += afterMs;
      return advanceBucket({ bucket, model: MODEL }, ports, AbortSignal.timeout(20_000));
    },
    /** It comes to rest, as one that its budget holds up does. */
    async rest() {
      const usage = usageOf(await store.turns(RUN.id));
      await store.updateRun(RUN.id, (run) => ({ ...run, status: 'idle', usage }));
    },
    /** What has been counted: in its record, in its ledger, and what is still reserved there. */
    async counted() {
      const [run, ledger] = [await store.run(RUN.id), await store.ledger(RUN.id)];
      return {
        unused: run?.unused ?? [],
        usage: run?.usage,
        used: ledger?.used.tokens,
        reserved: Object.keys(ledger?.reserved ?? {}),
      };
    },
  };
}

test('an answer that comes when the model has been asked alone is counted for an agent that rests since', async () => {
  const { store, batches, look, rest, counted } = await waiting({ answered: {} });
  await look();
  await batches.saveBatchedResult(RUN.id, 2, { at: START, result: { left: true } });
  await store.saveTurn(RUN.id, ALONE);
  await rest();
  await look();
  expect(await counted()).toMatchObject({
    unused: [UNUSED],
    usage: { turns: 2, inputTokens: 130, outputTokens: 13 },
    used: 110,
    reserved: [],
  });
});

test('what was reserved for a turn is free once its batch has no answer for it, although the model was asked alone since', async () => {
  const { store, batches, look, counted } = await waiting({ expired: true });
  await look();
  await batches.saveBatchedResult(RUN.id, 2, { at: START, result: { left: true } });
  await store.saveTurn(RUN.id, ALONE);
  await look();
  expect(await counted()).toMatchObject({ unused: [], used: 0, reserved: [] });
  expect(await look()).toEqual({ next: 'done' });
});

test('an answer of which no turn could be made is paid for once the model was asked alone', async () => {
  const { store, look, counted } = await waiting({ answered: {} });
  await look();
  await look();
  await store.saveTurn(RUN.id, ALONE);
  await look();
  expect(await counted()).toMatchObject({ unused: [UNUSED], used: 110, reserved: [] });
  expect(await look()).toEqual({ next: 'done' });
  expect(await counted()).toMatchObject({ unused: [UNUSED], used: 110, reserved: [] });
});

test('an answer for an agent that came to rest without it is paid for, once, and its bucket ends', async () => {
  const { look, rest, counted } = await waiting({ answered: {} });
  await look();
  await rest();
  await look();
  expect(await look()).toEqual({ next: 'done' });
  expect(await counted()).toMatchObject({
    unused: [UNUSED],
    usage: { turns: 1, inputTokens: 110, outputTokens: 11 },
    used: 110,
    reserved: [],
  });
});

test('a bucket ends, too, where an agent rests that it has no answer for', async () => {
  const { look, rest, counted } = await waiting({ expired: true });
  await look();
  await look();
  await rest();
  expect(await look()).toEqual({ next: 'done' });
  expect(await counted()).toMatchObject({ unused: [], usage: { inputTokens: 10 }, used: 0, reserved: [] });
});

/** The turn that a function was making of an answer when its run was ended. */
const LATE = aTurn({ number: 2, answer: { usage: BATCHED } });

test('an answer of which a function makes a turn after all is no longer counted as unused', async () => {
  const { store, look, rest, counted } = await waiting({ answered: {} });
  await look();
  await rest();
  await look();
  await store.saveTurn(RUN.id, LATE);
  await countLate([FIRST, LATE], RUN, store);
  const usage = { turns: 2, inputTokens: 110, outputTokens: 11 };
  expect(await counted()).toMatchObject({ unused: [], usage, used: 110 });
});

test('nor is one of which a turn becomes when its run has gone on', async () => {
  const { store, look, rest, counted } = await waiting({ answered: {} });
  await look();
  await rest();
  await look();
  const run = await store.updateRun(RUN.id, (one) => reopened(one, START));
  // Hooks were asked about its text, or its function was late.
  await store.saveTurn(RUN.id, LATE);
  await closeRun(run ?? RUN, [FIRST, LATE], { status: 'idle' }, { store, now: () => START });
  const usage = { turns: 2, inputTokens: 110, outputTokens: 11 };
  expect(await counted()).toMatchObject({ unused: [], usage, used: 110 });
});

test('an answer of which a function makes a turn while it is being charged is not counted as unused', async () => {
  const { store, look, rest, counted } = await waiting({ answered: {} });
  await look();
  await rest();
  const { changeLedger } = store;
  store.changeLedger = async (...change) => {
    await store.saveTurn(RUN.id, LATE);
    await countLate([FIRST, LATE], RUN, store);
    return changeLedger(...change);
  };
  await look();
  const usage = { turns: 2, inputTokens: 110, outputTokens: 11 };
  expect(await counted()).toMatchObject({ unused: [], usage, used: 110 });
});

test('a bucket is looked at ever more rarely: while it collects, while its batch is made, and until answers are taken', async () => {
  let isOver = false;
  const { look } = await waiting({ answered: {} }, () => isOver);
  const SECOND = 1_000;
  const HOUR = 3_600 * SECOND;
  const waits: unknown[] = [];
  let time = START;
  /** How many seconds later it is to be looked at again. */
  const lookAfter = async (ms: number) => {
    time += ms;
    const next = await look(ms);
    waits.push(next.next === 'done' ? 'done' : (Date.parse(next.at) - time) / SECOND);
  };
  for (const ms of [0, 34_999, 1]) await lookAfter(ms);
  for (const ms of [1, 600 * SECOND, 900 * SECOND, HOUR]) await lookAfter(ms);
  isOver = true;
  for (const ms of [0, 1, 240 * SECOND, 160 * SECOND, 5 * HOUR]) await lookAfter(ms);
  // Whoever has not taken its answer within a day does not want it.
  for (const ms of [19 * HOUR - 400 * SECOND - 2, 1]) await lookAfter(ms);
  const collecting = [35, 0.001, 0];
  const making = [60.999, 60.999, 150.999, 300.999];
  const taking = [60.999, 60.998, 60.998, 100.998, 3600.998, 3600, 'done'];
  expect(waits).toEqual([...collecting, ...making, ...taking]);
});
