import { expect, test } from 'vitest';
import { timeKey } from '../../../src/core/records/run-id.ts';
import { findRun } from '../../../src/doors/cli/commands/find-run.ts';
import { ConfigError } from '../../../src/errors.ts';
import { createMemoryStore } from '../../../src/places/testing/memory-store.ts';
import { aRun, keepRun } from '../../fixtures/records.ts';

/** More than a look at the newest goes through. */
const TREES = 1_200;
const START = Date.UTC(2026, 0, 1);

async function manyTrees() {
  const { runs } = createMemoryStore();
  const ids = Array.from({ length: TREES }, (_, index) => `lead-${timeKey(START + index * 60_000)}abcdef`);
  for (const id of ids) await keepRun(runs, aRun({ id, root: id, agent: 'lead' }));
  let read = 0;
  const records = {
    run: runs.run,
    tree: runs.tree,
    async *roots(...asked: Parameters<typeof runs.roots>) {
      for await (const run of runs.roots(...asked)) {
        read += 1;
        yield run;
      }
    },
  };
  return { records, ids, reads: () => read };
}

test('a run of any age is found by the beginning of its key, and others are not read', async () => {
  const { records, ids, reads } = await manyTrees();
  const [oldest = ''] = ids;
  expect((await findRun(oldest.slice(0, -3), { records })).id).toBe(oldest);
  expect(reads()).toBe(1);
});

test('the beginning of an agent is looked for among the newest trees, though it reads like one of a key', async () => {
  const { runs } = createMemoryStore();
  const id = `to-lead-${timeKey(START)}abcdef`;
  await keepRun(runs, aRun({ id, root: id, agent: 'to-lead' }));
  expect((await findRun('to-le', { records: runs })).id).toBe(id);
});

test.each([
  [2, ''],
  [5, ''],
  [7, ' and 2 more'],
])('of %d runs that may be meant, the newest few are named', async (count, rest) => {
  const { runs } = createMemoryStore();
  const ids = Array.from({ length: count }, (_, index) => `a-${timeKey(START + index)}abcdef`);
  for (const id of ids) await keepRun(runs, aRun({ id, root: id, agent: 'a' }));
  const named = ids.toReversed().slice(0, 5).join(', ');
  await expect(findRun('a-', { records: runs })).rejects.toThrow(
    new ConfigError(`the ids of ${count} runs begin with "a-": ${named}${rest}; add more of the id`),
  );
});

test('a run that there is not is told of with the one that may be meant', async () => {
  const { runs } = createMemoryStore();
  const id = `lead-${timeKey(START)}abcdef`;
  await keepRun(runs, aRun({ id, root: id, agent: 'lead' }));
  await expect(findRun('laed-', { records: runs })).rejects.toThrow(
    new ConfigError(`run not found: laed-; did you mean ${id}? see: cadre runs`),
  );
  await expect(findRun('other', { records: runs })).rejects.toThrow(
    new ConfigError('run not found: other; see: cadre runs'),
  );
});
