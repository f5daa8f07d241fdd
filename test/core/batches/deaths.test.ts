import fc from 'fast-check';
import { expect, test } from 'vitest';
import { advanceBucket } from '../../../src/core/batches/advance-bucket.ts';
import type { BatchPorts } from '../../../src/core/batches/ports.ts';
import { memberOf } from '../../../src/core/batches/join-bucket.ts';
import { awaitBatch } from '../../../src/core/lifecycle/await-batch.ts';
import type { BatchApi } from '../../../src/core/model/batch-api.ts';
import { batchRequestId, type PendingTurn } from '../../../src/core/records/batched.ts';
import { createPrices } from '../../../src/core/spending/prices.ts';
import { ModelError } from '../../../src/errors.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import type { Table } from '../../../src/places/store/table.ts';
import { tableThrough } from '../../../simulate/world/function-ports.ts';
import { cases } from '../../fixtures/cases.ts';
import { aRun, keepRun } from '../../fixtures/records.ts';

const START = Date.parse('2030-01-01T00:00:30Z');
const MODEL = 'anthropic/claude-sonnet-4-5';
const LANE = 'a'.repeat(24);
const IDS = ['one', 'two', 'three'].map((name) => `${name}-00000000000000`);

class Death extends Error {}

/**
 * A provider whose answers to the creation of a batch may be lost.
 * @param keepsNames whether it keeps the names of batches, as OpenAI does, or tells them apart by their size alone
 */
function createProvider(isLost: () => boolean, keepsNames: boolean) {
  const batches: { name: string; ids: string[] }[] = [];
  const api: BatchApi = {
    account: 'ours',
    toBody: async () => ({ endpoint: '/v1/messages', body: '{}' }),
    toAnswer: () => {
      throw new Error('no turn is made here');
    },
    spentOn: () => ({ inputTokens: 1, outputTokens: 1, service: 'batch' }),
    async create({ name, requests }) {
      batches.push({ name, ids: requests.map(({ id }) => id) });
      if (isLost()) throw new ModelError('server', 'the connection was lost');
      return `batch ${batches.length - 1}`;
    },
    find: async (wanted) =>
      batches.flatMap(({ name, ids }, index) => {
        const isLike = keepsNames ? name === wanted.name : ids.length === wanted.requests;
        return isLike ? [`batch ${index}`] : [];
      }),
    isOver: async () => true,
    async *results(batch) {
      for (const id of batches[Number(batch.slice(6))]?.ids ?? [])
        yield { id, result: { answered: { of: id } } };
    },
    cancel: async () => {},
  };
  return { api, batches };
}

/** What every function is given. @param opened where buckets are noted that are opened */
function portsOf(
  api: BatchApi,
  opened: Map<string, string>,
): Pick<BatchPorts, 'models' | 'prices' | 'openBucket' | 'sleep'> {
  return {
    models: {
      open: async (name) => ({
        name,
        model: { send: () => Promise.reject(new Error('alone')), batches: async () => api },
      }),
    },
    prices: createPrices(),
    openBucket: async (bucket, model) => void opened.set(bucket, model),
    sleep: async () => {},
  };
}

function pendingOf(run: string): PendingTurn {
  return {
    turn: 1,
    id: batchRequestId(run, 1, 0),
    model: MODEL,
    endpoint: '/v1/messages',
    lane: LANE,
    askedAt: START,
    attempt: 0,
    until: START + 86_400_000,
    maxTokens: 9,
    sent: { number: 1, received: [], messages: 1 },
    body: '{}',
  };
}

test.each([true, false])(
  'each request is in one batch and has one result, whoever dies at whichever operation, and whichever answer is lost, where names are kept: %s',
  async (keepsNames) => {
    await fc.assert(
      fc.asyncProperty(
        fc.infiniteStream(fc.nat(39)),
        fc.array(fc.constantFrom(...IDS, 'look', 'look', 'pass'), { minLength: 10, maxLength: 30 }),
        async (chances, deeds) => {
          const draw = () => chances.next().value;
          let now = START;
          let isSafe = false;
          const kept = createMemoryTable();
          /** What a function reaches of the store: any operation of it may be its last, before it takes effect or after. */
          const mortal = (): Table =>
            tableThrough(kept, async (effect) => {
              const chance = isSafe ? 39 : draw();
              if (chance === 0) throw new Death();
              const done = await effect();
              if (chance === 1) throw new Death();
              return done;
            });
          const storeOn = (table: Table) => createRunStore(table, createDocuments(table, NO_BLOBS));
          const store = storeOn(kept);
          const { api, batches } = createProvider(() => !isSafe && draw() < 8, keepsNames);
          const woken = new Set<string>();
          const opened = new Map<string, string>();
          let invocations = 0;
          const ports = (): BatchPorts => ({
            ...portsOf(api, opened),
            store: storeOn(mortal()),
            wake: async (token) => void woken.add(token),
            now: () => now,
            invocation: () => `invocation ${++invocations}`,
          });
          const unlessDead = async (work: () => Promise<unknown>) => {
            try {
              await work();
            } catch (thrown) {
              if (!(thrown instanceof Death)) throw thrown;
            }
          };
          for (const id of IDS) {
            await keepRun(store, aRun({ id, root: id, execution: `arn of ${id}` }));
            await (await store.batches()).savePendingTurn(id, pendingOf(id));
          }
          const wait = (id: string) =>
            awaitBatch(
              { run: id, holder: 1, execution: `arn of ${id}`, turn: 1, token: `token of ${id}` },
              ports(),
            );
          const look = async () => {
            // Two at once, as a function may be called twice.
            const looks = [...opened].flatMap(([bucket, model]) =>
              [1, 2].map(() =>
                unlessDead(() => advanceBucket({ bucket, model }, ports(), AbortSignal.timeout(60_000))),
              ),
            );
            await Promise.all(looks);
          };
          for (const deed of deeds) {
            if (deed === 'pass') now += 45_000;
            else if (deed === 'look') await look();
            else await unlessDead(() => wait(deed));
          }
          // What the machine calls again comes to its end.
          isSafe = true;
          for (const id of IDS) await wait(id);
          for (let rounds = 0; rounds < 12; rounds++) {
            now += 65_000;
            await look();
          }
          const sent = batches.flatMap(({ ids }) => ids);
          const all = IDS.map((id) => pendingOf(id).id);
          if (keepsNames) expect(sent.toSorted()).toEqual(all.toSorted());
          expect([...woken].sort()).toEqual(IDS.map((id) => `token of ${id}`).sort());
          for (const id of IDS) {
            const known = await (await store.batches()).batchedResult(id, 1);
            const answered = { answered: { of: pendingOf(id).id } };
            // Of two batches of a size whose creation had an unknown outcome, one may be taken for the other.
            expect([answered, ...(keepsNames ? [] : [{ expired: true }])]).toContainEqual(known?.result);
          }
        },
      ),
      { numRuns: cases(100) },
    );
  },
);

/** A bucket with one turn whose first function stands still once it has noted its attempt. */
async function lookAfterStandingStill(milliseconds: number, api: BatchApi) {
  const [id = ''] = IDS;
  let now = START;
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  const opened = new Map<string, string>();
  const ports: BatchPorts = {
    ...portsOf(api, opened),
    store,
    now: () => now,
    wake: async () => {},
    invocation: () => 'an invocation',
  };
  await keepRun(store, aRun({ id, root: id, execution: 'arn' }));
  const kept = await store.batches();
  await kept.savePendingTurn(id, pendingOf(id));
  await awaitBatch({ run: id, holder: 1, execution: 'arn', turn: 1, token: 'token' }, ports);
  const look = async (of = ports) => {
    for (const [bucket, model] of opened)
      await advanceBucket({ bucket, model }, of, AbortSignal.timeout(60_000));
  };
  now += 120_000;
  await look({
    ...ports,
    store: {
      ...store,
      batches: async () => ({
        ...kept,
        async claimPart(...given) {
          const claim = await kept.claimPart(...given);
          now += milliseconds;
          return claim;
        },
      }),
    },
  });
  return {
    sent: [pendingOf(id).id],
    async look(after: number) {
      now += after;
      await look();
    },
  };
}

test('a function that stood still once it had noted its attempt makes no batch, which others would not find', async () => {
  const { api, batches } = createProvider(() => false, true);
  const { look, sent } = await lookAfterStandingStill(720_000, api);
  expect(batches).toEqual([]);
  await look(0);
  expect(batches.map(({ ids }) => ids)).toEqual([sent]);
});

test('a batch is found whose function stood still, and had no answer, and which is listed late', async () => {
  const { api, batches } = createProvider(() => true, true);
  let isListed = false;
  const find: BatchApi['find'] = async (...wanted) => (isListed ? api.find(...wanted) : []);
  const { look, sent } = await lookAfterStandingStill(90_000, { ...api, find });
  expect(batches.map(({ ids }) => ids)).toEqual([sent]);
  // Two minutes after the attempt was noted.
  await look(31_000);
  isListed = true;
  await look(80_000);
  await look(200_000);
  expect(batches.map(({ ids }) => ids)).toEqual([sent]);
});

test('a batch that cannot be read, and a turn that cannot be woken, keep no answers from those behind them', async () => {
  const { api } = createProvider(() => false, true);
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  const opened = new Map<string, string>();
  const woken: string[] = [];
  let now = START;
  const ports: BatchPorts = {
    ...portsOf(
      {
        ...api,
        async isOver(batch) {
          if (batch === 'batch 0') throw new ModelError('server', 'it is gone');
          return true;
        },
      },
      opened,
    ),
    store,
    now: () => now,
    async wake(token) {
      if (token === 'token of two-00000000000000') throw new Error('refused');
      woken.push(token);
    },
    invocation: () => 'an invocation',
  };
  const kept = await store.batches();
  for (const id of IDS) {
    await keepRun(store, aRun({ id, root: id, execution: 'arn' }));
    await kept.savePendingTurn(id, pendingOf(id));
    await awaitBatch({ run: id, holder: 1, execution: 'arn', turn: 1, token: `token of ${id}` }, ports);
  }
  const [[bucket, model] = ['', '']] = opened;
  const [first, ...others] = IDS.map((run) => memberOf(run, pendingOf(run)));
  await kept.planBucket(bucket, { at: now, parts: [first === undefined ? [] : [first], others] });
  now += 120_000;
  const look = () => advanceBucket({ bucket, model }, ports, AbortSignal.timeout(60_000));
  await look();
  await expect(look()).rejects.toThrow('it is gone');
  const results = await Promise.all(IDS.map((id) => kept.batchedResult(id, 1)));
  expect(results.map((known) => known?.result)).toEqual([
    undefined,
    ...others.map(({ id }) => ({ answered: { of: id } })),
  ]);
  expect(woken).toEqual(['token of three-00000000000000']);
});

test('a late turn that cannot be read keeps no others from the next bucket, and none from the batches of this one', async () => {
  const { api, batches } = createProvider(() => false, true);
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  const kept = await store.batches();
  const opened = new Map<string, string>();
  let now = START;
  const [broken = '', planned = '', late = ''] = IDS.toSorted();
  const ports: BatchPorts = {
    ...portsOf(api, opened),
    store: {
      ...store,
      batches: async () => ({
        ...kept,
        async pendingTurn(run, turn) {
          if (run === broken) throw new Error('a text of it is gone');
          return kept.pendingTurn(run, turn);
        },
      }),
    },
    now: () => now,
    wake: async () => {},
    invocation: () => 'an invocation',
  };
  for (const id of [broken, planned, late]) {
    await keepRun(store, aRun({ id, root: id, execution: 'arn' }));
    await kept.savePendingTurn(id, pendingOf(id));
    const waiting = { run: id, holder: 1, execution: 'arn', turn: 1, token: `token of ${id}` };
    await awaitBatch(waiting, { ...ports, store });
  }
  const [[bucket, model] = ['', '']] = opened;
  await kept.noteBucket(bucket, 'sealed', { at: now });
  await kept.planBucket(bucket, { at: now, parts: [[memberOf(planned, pendingOf(planned))]] });
  now += 120_000;
  const look = advanceBucket({ bucket, model }, ports, AbortSignal.timeout(60_000));
  await expect(look).rejects.toThrow('a text of it is gone');
  expect(batches.map(({ ids }) => ids)).toEqual([[batchRequestId(planned, 1, 0)]]);
  const next = [...opened.keys()].filter((name) => name !== bucket);
  expect(await Promise.all(next.map((name) => kept.bucketMembers(name)))).toEqual([
    [memberOf(late, pendingOf(late))],
  ]);
});
