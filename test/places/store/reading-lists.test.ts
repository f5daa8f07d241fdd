import { expect, test } from 'vitest';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { openEntry } from '../../../src/places/store/index-entries.ts';
import { createMemoryBlobs, createMemoryTable } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import type { Table } from '../../../src/places/store/table.ts';
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

test('the trees of an agent are found without a look at those of others, and not once they are gone', async () => {
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
  // Names that are none are those of runs that failed for them.
  const agents = ['rare', ...Array.from({ length: 20 }, () => 'common'), 'rare#x', 'é'.repeat(600)];
  const tops = agents.map((_, index) => `top-mmmmmmmm${String(index).padStart(6, '0')}`);
  for (const [index, agent] of agents.entries())
    await store.insertRun(aRun({ id: tops[index] ?? '', root: tops[index] ?? '', agent }));
  const listed = async (agent: string) => {
    given = 0;
    const { trees } = await store.listTrees({ limit: 100, agent });
    return { ids: trees.map(({ top }) => top.id), given };
  };
  expect(await listed('rare')).toEqual({ ids: tops.slice(0, 1), given: 1 });
  expect(await listed('rare#x')).toEqual({ ids: [tops.at(-2)], given: 1 });
  expect(await listed('é'.repeat(600))).toEqual({ ids: tops.slice(-1), given: 1 });
  await store.deleteTrees(tops.slice(0, 1));
  expect(await listed('rare')).toEqual({ ids: [], given: 0 });
});
