import { expect, test } from 'vitest';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { openEntry } from '../../../src/places/store/index-entries.ts';
import { createMemoryBlobs, createMemoryTable } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import type { Run } from '../../../src/core/records/run.ts';
import type { WantedTrees } from '../../../src/core/records/listed-trees.ts';
import { keysOf, type Table } from '../../../src/places/store/table.ts';
import { aRun, keepRun } from '../../fixtures/records.ts';

async function refuse(): Promise<never> {
  throw new Error('AccessDeniedException');
}

test('trees under way are listed by those who may only read, although an entry outlives what it says', async () => {
  const table = createMemoryTable();
  const documents = createDocuments(table, createMemoryBlobs());
  const over = aRun({ status: 'failed', endedAt: new Date(0).toISOString() });
  await keepRun(createRunStore(table, documents), over);
  const { key, value } = openEntry(over);
  await table.putIfAbsent(key, value);
  const readOnly = { ...table, putIfAbsent: refuse, putIfVersion: refuse, delete: refuse };
  const store = createRunStore(readOnly, documents);
  expect(await store.listTrees({ limit: 10, statuses: ['running'] })).toEqual({ trees: [] });
});

/** A store whose table says how many items queries have given. */
function openCounting() {
  const table = createMemoryTable();
  let given = 0;
  const counting: Table = {
    ...table,
    async *query(...asked) {
      for await (const item of table.query(...asked)) {
        given += 1;
        yield item;
      }
    },
  };
  const store = createRunStore(counting, createDocuments(counting, createMemoryBlobs()));
  const listed = async (wanted: Partial<WantedTrees>) => {
    given = 0;
    const { trees } = await store.listTrees({ limit: 100, ...wanted });
    return { ids: trees.map(({ top }) => top.id), given };
  };
  return { table, store, listed };
}

const topAt = (index: number) => `top-mmmmmmmm${String(index).padStart(6, '0')}`;

test('the trees of an agent are found without a look at those of others, and not once they are gone', async () => {
  const { store, listed } = openCounting();
  // Names that are none are those of runs that failed for them.
  const agents = ['rare', ...Array.from({ length: 20 }, () => 'common'), 'rare#x', 'é'.repeat(600)];
  const tops = agents.map((_, index) => topAt(index));
  for (const [index, agent] of agents.entries())
    await store.insertRun(aRun({ id: tops[index] ?? '', root: tops[index] ?? '', agent }));
  expect(await listed({ agent: 'rare' })).toEqual({ ids: tops.slice(0, 1), given: 1 });
  expect(await listed({ agent: 'rare#x' })).toEqual({ ids: [tops.at(-2)], given: 1 });
  expect(await listed({ agent: 'é'.repeat(600) })).toEqual({ ids: tops.slice(-1), given: 1 });
  await store.deleteTrees(tops.slice(0, 1));
  expect(await listed({ agent: 'rare' })).toEqual({ ids: [], given: 0 });
});

test('the trees that ended in one way are found without a look at others, also those of before, and not once they are gone', async () => {
  const { table, store, listed } = openCounting();
  const begin = (index: number) => store.insertRun(aRun({ id: topAt(index), root: topAt(index) }));
  const end = (index: number, status: Run['status']) =>
    store.updateRun(topAt(index), (run) => ({ ...run, status, endedAt: new Date(0).toISOString() }));
  for (let index = 0; index < 10; index++) await begin(index);
  await end(0, 'timed_out');
  // An earlier release had no entries of these.
  await table.delete({ partition: 'trees-by-status', sort: `timed_out#${topAt(0).slice('top-'.length)}` });
  await table.delete({ partition: 'index', sort: 'first-by-status' });
  await table.putIfAbsent({ partition: 'index', sort: 'first-by-status' }, { run: topAt(2) });
  // One that began before, and ends now.
  await end(1, 'timed_out');
  for (let index = 2; index < 9; index++) await end(index, 'failed');
  await end(9, 'timed_out');
  const [oldest, older, , , , , , , goesOn, newest] = Array.from({ length: 10 }, (_, index) => topAt(index));
  const ended = (...statuses: Run['status'][]) => listed({ statuses });
  // Of the newer trees no other, one that tells that older ones follow, and of the list of before all of these.
  expect(await ended('timed_out')).toEqual({ ids: [newest, older, oldest], given: 4 });
  await store.updateRun(goesOn ?? '', (run) => ({ ...run, status: 'running', holder: 2 }));
  await end(8, 'timed_out');
  expect(await ended('timed_out')).toEqual({ ids: [newest, goesOn, older, oldest], given: 5 });
  expect((await ended('failed')).ids).toEqual([7, 6, 5, 4, 3, 2].map(topAt));
  expect((await ended('failed', 'timed_out')).ids).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0].map(topAt));
  await store.deleteTrees(Array.from({ length: 10 }, (_, index) => topAt(index)));
  expect(await ended('timed_out')).toEqual({ ids: [], given: 0 });
  expect(await keysOf('trees-by-status', '', table)).toEqual([]);
});
