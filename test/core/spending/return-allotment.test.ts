import { expect, test } from 'vitest';
import { NOTHING } from '../../../src/core/records/amounts.ts';
import type { Allotment } from '../../../src/core/records/allotment.ts';
import { entryOf, type DayShard } from '../../../src/core/records/day-shard.ts';
import { openLedger, type Ledger } from '../../../src/core/records/ledger.ts';
import type { Run } from '../../../src/core/records/run.ts';
import { returnAllotment, returnLost } from '../../../src/core/spending/return-allotment.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { openLateTable } from '../../fixtures/late-table.ts';
import { aRun, aSubAgent, keepRun } from '../../fixtures/records.ts';

const DAY = '2026-01-01';
const AT = { day: DAY, scope: 'all', shard: 8 };
const OTHER = { ...AT, shard: 9 };
const top = aRun({ status: 'succeeded' });
const { id } = top;
const allotment: Allotment = { day: DAY, number: 2, taken: { all: { 8: 200, 9: 800 } }, received: 1_000 };
const ledger: Ledger = { ...openLedger({ nanoUsd: 1_000 }), used: { ...NOTHING, nanoUsd: 300 }, allotment };
/** Once the rest has gone back. */
const closed = { ...ledger, returned: { ...NOTHING, nanoUsd: 700 }, allotment: { ...allotment, spent: 300 } };

async function open(kept: Ledger | undefined, runs: Run[] = [top], given = entryOf(id, 2)) {
  const table = openLateTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  for (const run of runs) await keepRun(store, run);
  if (kept !== undefined) await store.changeLedger(id, () => ({ ledger: kept }));
  const shards = await store.dayShards();
  await shards.change(AT, () => ({ settled: 5, given: { [given]: 200 } }));
  await shards.change(OTHER, () => ({ settled: 0, given: { [given]: 800 } }));
  return {
    store,
    shards,
    async found(): Promise<[Ledger | undefined, DayShard, DayShard]> {
      return [await store.ledger(id), await shards.shard(AT), await shards.shard(OTHER)];
    },
  };
}

const held = (entry = entryOf(id, 2)) => [
  { settled: 5, given: { [entry]: 200 } },
  { settled: 0, given: { [entry]: 800 } },
];
const settled = (one: number, other: number) => [
  { settled: 5 + one, given: {} },
  { settled: other, given: {} },
];

test.each<[string, Ledger | undefined, Run[], unknown[]]>([
  ['is at rest', ledger, [top], [closed, ...settled(200, 100)]],
  ['was told so before', closed, [top], [closed, ...settled(200, 100)]],
  ['has an agent at work', ledger, [top, aSubAgent(top, { status: 'running' })], [ledger, ...held()]],
  ['is under no limits', openLedger({ nanoUsd: 9 }), [top], [openLedger({ nanoUsd: 9 }), ...held()]],
  ['has no ledger', undefined, [top], [undefined, ...held()]],
])('a tree gives back what it has left of a day where it %s', async (_, kept, runs, expected) => {
  const { store, found } = await open(kept, runs);
  await returnAllotment(id, store);
  expect(await found()).toEqual(expected);
});

test('what is left is counted anew where the ledger changes meanwhile, and left to others in the end', async () => {
  const changing = async (times: number) => {
    const { store, found } = await open(ledger);
    let left = times;
    await returnAllotment(id, {
      ...store,
      async tree(root) {
        if (left-- > 0) {
          const spend = (kept: Ledger) => ({ ...kept, used: { ...kept.used, tokens: kept.used.tokens + 1 } });
          await store.changeLedger(id, (kept) => ({ ledger: kept && spend(kept) }));
        }
        return store.tree(root);
      },
    });
    const [kept, one] = await found();
    return [kept?.allotment?.spent, kept?.used.tokens, one.settled];
  };
  expect([await changing(4), await changing(5)]).toEqual([
    [300, 4, 205],
    [undefined, 5, 5],
  ]);
});

test.each<[string, Ledger | undefined, string, unknown[]]>([
  ['which nobody has told of its end', ledger, entryOf(id, 2), [closed, ...settled(200, 100)]],
  [
    'whose function took it and died, and which spent nothing of it',
    closed,
    entryOf(id, 3),
    [{ ...closed, allotment: { day: DAY, number: 3, taken: {}, received: 0, spent: 0 } }, ...settled(0, 0)],
  ],
  [
    'which has taken another since, so that all of it may be spent',
    { ...closed, allotment: { ...closed.allotment, number: 3 } },
    entryOf(id, 2),
    [{ ...closed, allotment: { ...closed.allotment, number: 3 } }, ...settled(200, 800)],
  ],
  ['without a ledger', undefined, entryOf(id, 2), [undefined, ...held()]],
  ['that is no tree', ledger, 'x', [ledger, ...held('x')]],
])('the sweep gives back what is held by a tree at rest %s', async (_, kept, entry, expected) => {
  const { store, found } = await open(kept, [top], entry);
  await returnLost(new Set(), { store, now: () => Date.parse(`${DAY}T23:00:00Z`) });
  expect(await found()).toEqual(expected);
});

test('the sweep forgets nothing that a tree has spent which goes on before it is settled', async () => {
  const { store, found } = await open(closed, [top, aSubAgent(top, { status: 'running' })]);
  await returnLost(new Set(), { store, now: () => Date.parse(`${DAY}T23:00:00Z`) });
  expect(await found()).toEqual([closed, ...held()]);
  await store.updateRun(aSubAgent(top).id, (run) => ({ ...run, status: 'succeeded' }));
  await returnLost(new Set(), { store, now: () => Date.parse(`${DAY}T23:00:00Z`) });
  expect(await found()).toEqual([closed, ...settled(200, 100)]);
});

test('the sweep leaves what belongs to trees under way, and to other days', async () => {
  const { store, found } = await open(ledger);
  await returnLost(new Set([id]), { store, now: () => Date.parse(`${DAY}T23:00:00Z`) });
  await returnLost(new Set(), { store, now: () => Date.parse('2026-01-02T01:00:00Z') });
  expect(await found()).toEqual([ledger, ...held()]);
});

test('a tree that cannot be read keeps none of the others from giving back', async () => {
  const { store, shards, found } = await open(ledger);
  await shards.change(AT, (shard) => ({ ...shard, given: { 'lost-00000000000000#1': 7, ...shard.given } }));
  const fault = new Error('its texts are lost');
  const lost: typeof store = {
    ...store,
    ledger: (run) => (run === 'lost-00000000000000' ? Promise.reject(fault) : store.ledger(run)),
  };
  await expect(
    returnLost(new Set(), { store: lost, now: () => Date.parse(`${DAY}T23:00:00Z`) }),
  ).rejects.toBe(fault);
  const [one, other] = settled(200, 100);
  expect(await found()).toEqual([closed, { ...one, given: { 'lost-00000000000000#1': 7 } }, other]);
});
