import { expect, onTestFinished, test } from 'vitest';
import { openFolderMaintenance } from '../../../src/places/local/folder-maintenance.ts';
import { openLocalStore } from '../../../src/places/local/local-store.ts';
import { timeKey } from '../../../src/core/records/run-id.ts';
import { aRun, keepRun } from '../../fixtures/records.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const START = Date.UTC(2026, 0, 1);

test('many trees go in few transactions, but for those that a process carries out', async () => {
  const cwd = await tempFolder();
  const { runs, locks, close } = await openLocalStore(cwd);
  onTestFinished(close);
  const tops = Array.from({ length: 70 }, (_, index) => {
    const id = `lead-${timeKey(START + index)}abcdef`;
    const startedAt = new Date(START + index).toISOString();
    return aRun({ id, root: id, agent: 'lead', status: 'succeeded', startedAt, endedAt: startedAt });
  });
  for (const top of tops) await keepRun(runs, top);
  const [carried] = tops;
  if (carried === undefined) throw new Error();
  await locks.take(carried.id);
  const folder = await openFolderMaintenance(cwd);
  onTestFinished(folder.close);

  const before = runs.newest?.() ?? NaN;
  const removals = [];
  for await (const some of folder.deleteTrees(tops)) removals.push(...some);

  expect(removals.map(({ top, runs: count }) => [top.id, count])).toEqual(
    tops.map(({ id }, index) => [id, index === 0 ? undefined : 1]),
  );
  // A lock is one; all that is kept of a tree would be some ten.
  expect((runs.newest?.() ?? NaN) - before).toBeLessThan(2 * tops.length);
  expect((await runs.listTrees({ limit: 100 })).trees.map(({ top }) => top.id)).toEqual([carried.id]);
  for (const { id } of tops.slice(1)) expect(await locks.isTaken(id)).toBe(false);
});
