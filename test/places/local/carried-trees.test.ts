import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createCarriedTrees, type CarriedTrees } from '../../../src/places/local/carried-trees.ts';
import { leaveMessage } from '../../../src/core/lifecycle/leave-message.ts';
import { StoreError } from '../../../src/errors.ts';
import { NOTHING_RUNS } from '../../../src/core/lifecycle/ports.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { aFork, aRun, keepRun } from '../../fixtures/records.ts';
import { latch, type Latch } from '../../fixtures/stage.ts';

const ROOT = 'top-00000000000000';

/** Trees whose lock is only noted, and which come to rest when the test says so, each time that they are asked. */
function stage(): { trees: CarriedTrees; done: string[]; rests: Latch[] } {
  const table = createMemoryTable();
  const done: string[] = [];
  const rests: Latch[] = [];
  const trees = createCarriedTrees({
    residents: {
      ...NOTHING_RUNS,
      store: createRunStore(table, createDocuments(table, NO_BLOBS)),

      now: () => 0,
    },
    locks: {
      take: async () => void done.push('take'),
      release: async () => void done.push('release'),
    },
    running: () => [],
    async rested() {
      const rest = latch();
      rests.push(rest);
      await rest.opened;
    },
    report: (thrown) => {
      throw thrown;
    },
  });
  onTestFinished(() => trees.close());
  return { trees, done, rests };
}

/** Lets everything happen that can. */
async function settle(): Promise<void> {
  for (let round = 0; round < 20; round++) await setImmediate();
}

test('a tree that is taken and let go again while it comes to rest rests once more, and is released once', async () => {
  const { trees, done, rests } = stage();
  await trees.take(ROOT);
  const first = trees.letGo(ROOT);
  await trees.take(ROOT);
  const second = trees.letGo(ROOT);
  rests[0]?.open();
  await settle();
  expect({ done, rests: rests.length }).toEqual({ done: ['take'], rests: 2 });
  rests[1]?.open();
  await Promise.all([first, second]);
  await settle();
  expect({ done, rests: rests.length }).toEqual({ done: ['take', 'release'], rests: 2 });
});

test('a tree that is taken again while it comes to rest is released by its last user', async () => {
  const { trees, done, rests } = stage();
  await trees.take(ROOT);
  const first = trees.letGo(ROOT);
  await trees.take(ROOT);
  rests[0]?.open();
  await first;
  expect(done).toEqual(['take']);
  const second = trees.letGo(ROOT);
  await settle();
  rests[1]?.open();
  await second;
  expect(done).toEqual(['take', 'release']);
});

test('an agent that was written to while its execution was ending goes on, though nothing is written after that', async () => {
  const table = createMemoryTable();
  const store = createRunStore({ ...table, newest: () => 1 }, createDocuments(table, NO_BLOBS));
  const top = aRun({ id: ROOT });
  const fork = aFork(top, { status: 'idle' });
  for (const run of [top, fork]) await keepRun(store, run);
  await leaveMessage({ run: fork.id, text: 'p1' }, { store, now: () => 0 });
  const started: string[] = [];
  let looks = 0;
  const trees = createCarriedTrees({
    residents: {
      ...NOTHING_RUNS,
      executions: {
        ...NOTHING_RUNS.executions,
        async start(name) {
          started.push(name);
          return name;
        },
      },
      store,

      now: () => 0,
    },
    locks: { take: async () => {}, release: async () => {} },
    running() {
      looks += 1;
      return looks === 1 ? [{ name: fork.id, arn: fork.id }] : [];
    },
    rested: async () => {},
    report: (thrown) => {
      throw thrown;
    },
  });
  onTestFinished(() => trees.close());
  await trees.take(ROOT);
  await expect.poll(() => started).toContain(`${fork.id}-r2`);
});

test('a look that failed is made again, though nothing is written after that', async () => {
  const table = createMemoryTable();
  const store = createRunStore({ ...table, newest: () => 1 }, createDocuments(table, NO_BLOBS));
  const top = aRun({ id: ROOT });
  const fork = aFork(top, { status: 'idle' });
  for (const run of [top, fork]) await keepRun(store, run);
  await leaveMessage({ run: fork.id, text: 'p1' }, { store, now: () => 0 });
  const [started, reported]: [string[], unknown[]] = [[], []];
  const full = new StoreError('no room');
  const trees = createCarriedTrees({
    residents: {
      ...NOTHING_RUNS,
      executions: {
        ...NOTHING_RUNS.executions,
        async start(name) {
          if (reported.length === 0) throw full;
          started.push(name);
          return name;
        },
      },
      store,
      now: () => 0,
    },
    locks: { take: async () => {}, release: async () => {} },
    running: () => [],
    rested: async () => {},
    report: (thrown) => void reported.push(thrown),
  });
  onTestFinished(() => trees.close());
  await trees.take(ROOT);
  await expect.poll(() => started).toContain(`${fork.id}-r2`);
  expect(reported).toEqual([full]);
});

test('a tree that is left keeps its lock, also where it is about to be let go of', async () => {
  const { trees, done, rests } = stage();
  await trees.take(ROOT);
  const letGo = trees.letGo(ROOT);
  expect(trees.leave()).toEqual([ROOT]);
  rests[0]?.open();
  await letGo;
  expect(done).toEqual(['take']);
});
