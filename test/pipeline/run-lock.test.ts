import { spawn, spawnSync } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { processName } from '../../src/pipeline/process-name.ts';
import { createRunLocks } from '../../src/pipeline/run-lock.ts';
import type { Json } from '../../src/json.ts';
import { openLmdbTable } from '../../src/store/lmdb/table.ts';
import type { Table } from '../../src/store/table.ts';
import { tempFolder } from '../fixtures/temp-folder.ts';

const RUN = 'top-00000000000000';

async function openTable(holder?: Json): Promise<Table> {
  const table = await openLmdbTable(await tempFolder());
  onTestFinished(() => table.close());
  if (holder !== undefined) await table.putIfAbsent({ partition: 'running', sort: RUN }, holder);
  return table;
}

test('a run that is taken is not given to anybody until it is released', async () => {
  const locks = createRunLocks(await openTable());
  expect(await locks.holder(RUN)).toBeUndefined();
  await locks.take(RUN);
  expect(await locks.holder(RUN)).toBe(process.pid);
  await expect(locks.take(RUN)).rejects.toThrow(
    `run "${RUN}" is running in process ${process.pid}; wait for it, or stop it first`,
  );
  await locks.take('other-00000000000001');
  await locks.release(RUN);
  await locks.take(RUN);
});

test('a run of another process is held while that lives', async () => {
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  onTestFinished(() => void other.kill('SIGKILL'));
  const locks = createRunLocks(await openTable(processName(other.pid ?? 0)));
  expect(await locks.holder(RUN)).toBe(other.pid);
  await expect(locks.take(RUN)).rejects.toThrow(`in process ${other.pid};`);
});

test.each([
  ['a process that died', () => `${spawnSync('true').pid} since then`],
  ["an earlier process of this one's number", () => `${process.pid} since then`],
  ['an earlier process of a number that somebody else has now', () => `${process.ppid} since then`],
])('a run that %s left behind can be taken', async (_, name) => {
  const locks = createRunLocks(await openTable(name()));
  expect(await locks.holder(RUN)).toBeUndefined();
  await locks.take(RUN);
  expect(await locks.holder(RUN)).toBe(process.pid);
});

test('of two that find what was left behind one takes the run', async () => {
  const table = await openTable(`${spawnSync('true').pid} since then`);
  const both = [createRunLocks(table), createRunLocks(table)].map((locks) => locks.take(RUN));
  const outcomes = (await Promise.allSettled(both)).map(({ status }) => status);
  expect(outcomes.sort()).toEqual(['fulfilled', 'rejected']);
});
