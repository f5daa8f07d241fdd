import { expect, test } from 'vitest';
import { MAX_WAKES } from '../../../src/core/lifecycle/due.ts';
import { leaveMessage } from '../../../src/core/lifecycle/leave-message.ts';
import { wakeFor } from '../../../src/core/lifecycle/start-again.ts';
import type { Run } from '../../../src/core/records/run.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { aFork, aRun } from '../../fixtures/records.ts';

const top = aRun({ model: 'stage/top' });
const forkAt = (path: string) => aFork(top, { path, status: 'idle' });

/** @returns has a message of an agent, or of a person, wake a fork; and the wakes that are counted */
async function stage() {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  await store.insertRun(top);
  const executions = {
    isRunning: async () => false,
    start: async (name: string) => name,
    stop: async () => {},
  };
  const ports = { store, executions, now: () => Date.parse(top.startedAt) };
  return {
    wake: (run: Run, from?: string) => wakeFor({ ...(from !== undefined && { from }) }, run, ports),
    leave: (run: Run) => leaveMessage({ run: run.id, text: 'p1' }, ports),
    counted: async () => (await store.run(top.id))?.woken,
  };
}

test('a wake is counted once, however many wake the agent at the same moment', async () => {
  const { wake, counted } = await stage();
  const [one, other] = [forkAt('t1c1'), forkAt('t1c2')];
  const started = await Promise.all([wake(one, top.id), wake(other, top.id), wake(one, other.id)]);
  expect(started).toEqual([`${one.id}-r2`, `${other.id}-r2`, `${one.id}-r2`]);
  expect((await counted())?.toSorted()).toEqual(['t1c1#2', 't1c2#2']);
  await wake({ ...one, holder: 2 }, top.id);
  expect(await counted()).toHaveLength(3);
});

test('agents wake each other no more once they have done so too often, until a person writes', async () => {
  const { wake, counted, leave } = await stage();
  const fork = forkAt('t1c1');
  for (let holder = 1; holder <= MAX_WAKES; holder++) {
    expect(await wake({ ...fork, holder }, top.id)).toBeDefined();
  }
  expect(await wake({ ...fork, holder: MAX_WAKES + 1 }, top.id)).toBeUndefined();
  expect(await counted()).toHaveLength(MAX_WAKES);
  // With any recipient, even where that agent need not be woken.
  await leave(top);
  expect(await counted()).toBeUndefined();
  expect(await wake({ ...fork, holder: MAX_WAKES + 1 }, top.id)).toBeDefined();
});
