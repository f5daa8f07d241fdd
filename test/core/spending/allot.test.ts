import { expect, test } from 'vitest';
import {
  closeAllotment,
  copyTaken,
  ledgerOfTop,
  type Allotment,
} from '../../../src/core/records/allotment.ts';
import type { LimitsPerDay } from '../../../src/core/records/limits-per-day.ts';
import type { Ledger } from '../../../src/core/records/ledger.ts';
import { allot, gainOf } from '../../../src/core/spending/allot.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { openLateTable } from '../../fixtures/late-table.ts';
import { anOpened, aRun, keepRun } from '../../fixtures/records.ts';

const idOf = (name: string) => `top-${name.repeat(14)}`;
const DAY = '2026-01-01';
const NEXT = '2026-01-02';

/** Trees that are held by these limits: what each takes and copies, and what is told of limits. */
async function openTrees(perDay: LimitsPerDay | undefined, budget?: number) {
  const table = openLateTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  const told: string[] = [];
  const limits = perDay && { perDay, nearlyReached: ({ key }: { key: string }) => void told.push(key) };
  const trees = new Map<string, Ledger>();
  const warnings: object[] = [];
  let day = DAY;
  const now = () => Date.parse(`${day}T10:00:00Z`);
  const live = { tell: (event: object) => void warnings.push(event) };
  return {
    told,
    warnings,
    passNight: () => void (day = NEXT),
    settledOf: async (shard: number) =>
      (await (await store.dayShards()).shard({ day: DAY, scope: 'all', shard })).settled,
    close: (name: string) => {
      const ledger = trees.get(idOf(name)) ?? expect.fail();
      trees.set(idOf(name), closeAllotment({ ...ledger, used: { ...ledger.used, nanoUsd: 7 } }));
    },
    /** @returns what the tree has received, and how much of what limit was refused */
    async take(name: string, wanted: number, needed = wanted, owner = 'ada') {
      const id = idOf(name);
      const top = aRun({ id, root: id, owner });
      if (!trees.has(id)) {
        await keepRun(store, top);
        await store.saveOpened(id, anOpened({ root: id }));
      }
      const ledger =
        trees.get(id) ?? ledgerOfTop({ perDay: {}, ...(budget !== undefined && { nanoUsd: budget }) });
      const { allotment } = ledger;
      if (allotment === undefined) expect.fail();
      const given = await allot(
        top,
        { ...ledger, allotment },
        { wanted, needed },
        { store, now, limits, live },
      );
      if (given === undefined) return ['no room'];
      const copied = copyTaken(ledger, given.taken);
      const gain = (copied.received.nanoUsd ?? 0) - (ledger.received.nanoUsd ?? 0);
      expect(gainOf(ledger, given.taken)).toBe(gain);
      trees.set(id, copied);
      const { refused } = given;
      return [copied.received.nanoUsd, ...(refused === undefined ? [] : [refused.limit.key, refused.held])];
    },
    taken: (name: string): Allotment['taken'] | undefined => trees.get(idOf(name))?.allotment?.taken,
  };
}

test('a tree takes a hundredth of a limit, or what it lacks', async () => {
  const { take, told } = await openTrees({ nanoUsd: 160_000 });
  expect([await take('a', 10), await take('a', 10), await take('a', 2_000)]).toEqual([
    [1_600],
    [3_200],
    [5_200],
  ]);
  expect(told).toEqual([]);
});

test('the least of all limits counts', async () => {
  const { take, taken } = await openTrees({ nanoUsd: 160_000, nanoUsdPerOwner: 1_600 });
  expect([await take('a', 10), await take('b', 10, 10, 'bob'), Object.values(taken('a') ?? {})]).toEqual([
    [16],
    [16],
    [{ 8: 1_600 }, { 8: 16 }],
  ]);
});

test('a tree that all limits were taken back of takes what it wants', async () => {
  const { take, taken } = await openTrees(undefined);
  expect([await take('a', 10), await take('a', 5), taken('a')]).toEqual([[10], [15], { none: { 0: 15 } }]);
});

test('its own budget bounds what it takes', async () => {
  const { take } = await openTrees({ nanoUsd: 160_000 }, 100);
  expect([await take('a', 100), await take('a', 60, 10)]).toEqual([[100], ['no room']]);
});

test('where too little is left, it is refused with what is held, and people are told once that it is near', async () => {
  const { take, told } = await openTrees({ nanoUsd: 1_600 });
  const steps: [string, number][] = [
    ['a', 1_200],
    ['b', 79],
    ['c', 1],
    ['d', 400],
    ['e', 10],
  ];
  const seen = [];
  for (const [name, wanted] of steps) seen.push([...(await take(name, wanted)), ...told]);
  const near = 'usd_per_day';
  expect(seen).toEqual([[1_200], [79], [1, near], [320, near, 1_600, near], [0, near, 1_600, near]]);
});

test('what a tree has of one limit beyond what another has given is not taken again', async () => {
  const { take, taken } = await openTrees({ nanoUsd: 160_000, nanoUsdPerOwner: 1_600 });
  expect([await take('a', 10), await take('a', 20), Object.values(taken('a') ?? {})]).toEqual([
    [16],
    [36],
    [{ 8: 1_600 }, { 8: 36 }],
  ]);
});

test('the last of what a tree lacks is taken, too, from as many parts of the limit as it takes', async () => {
  const { take, taken } = await openTrees({ nanoUsd: 1_600 });
  expect([await take('a', 301), Object.values(taken('a') ?? {})]).toEqual([
    [301],
    [{ 8: 100, 9: 100, 10: 100, 11: 1 }],
  ]);
});

test.each([
  [75, ['usd_per_day']],
  [74, []],
])(
  'people are told where four fifths are gone, and %d of the hundred that a tree falls to',
  async (there, words) => {
    const { take, told } = await openTrees({ nanoUsd: 1_600 });
    // What 'f' falls to is the second of the three that 'a' leaves.
    expect(await take('a', 1_205 + 75 - there)).toEqual([1_205 + 75 - there]);
    expect(told).toEqual([]);
    expect([await take('f', there), told]).toEqual([[there], words]);
  },
);

test('a tree that has something already is refused what is not left beside it, and watchers are told', async () => {
  const { take, warnings } = await openTrees({ nanoUsd: 1_600 });
  expect([await take('a', 1_500), await take('a', 200)]).toEqual([[1_500], [1_600, 'usd_per_day', 1_600]]);
  const message =
    '80 per cent of usd_per_day = $0.0000016 for all agents are spent today (UTC) or held by agents at work';
  expect(warnings).toEqual([expect.objectContaining({ type: 'warning', run: idOf('a'), message })]);
});

test('a tree that goes on takes anew, and what it had that day is what it has spent of it', async () => {
  const sums = async (isNextDay: boolean) => {
    const { take, close, passNight, settledOf, taken } = await openTrees({ nanoUsd: 160_000 });
    await take('a', 10);
    close('a');
    if (isNextDay) passNight();
    return [await take('a', 10), await settledOf(8), taken('a')];
  };
  const anew = { all: { 8: 1_600 } };
  expect([await sums(false), await sums(true)]).toEqual([
    [[3_200], 7, anew],
    [[3_200], 0, anew],
  ]);
});
