import { spawn, spawnSync } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { processName } from '../../../src/places/local/process-name.ts';
import { createRunLocks } from '../../../src/places/local/run-lock.ts';
import type { Json } from '../../../src/json.ts';
import { openLmdbTable } from '../../../src/places/local/store/lmdb/table.ts';
import { StoreError } from '../../../src/errors.ts';
import { deleteItems, type Table } from '../../../src/places/store/table.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const RUN = 'top-00000000000000';

/** The parts of a table that locks use, to put others in their places. */
const boundTo = (table: Table): Table => ({
  get: (key) => table.get(key),
  putIfAbsent: (...given) => table.putIfAbsent(...given),
  putIfVersion: (...given) => table.putIfVersion(...given),
  query: (...given) => table.query(...given),
  delete: (key) => table.delete(key),
  close: () => table.close(),
});

async function openTable(holder?: Json): Promise<Table> {
  const table = await openLmdbTable(await tempFolder());
  onTestFinished(() => table.close());
  if (holder !== undefined) await table.putIfAbsent({ partition: 'running', sort: RUN }, holder);
  return table;
}

test('a run that is taken is not given to another process until it is released', async () => {
  const locks = createRunLocks(await openTable());
  expect(await locks.owner(RUN)).toBeUndefined();
  await locks.take(RUN);
  expect(await locks.owner(RUN)).toEqual({ pid: process.pid, purpose: 'carry out' });
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
  expect(await locks.owner(RUN)).toEqual({ pid: other.pid, purpose: 'carry out' });
  await expect(locks.take(RUN)).rejects.toThrow(`in process ${other.pid};`);
});

test.each([
  ['close', 'closed'],
  ['delete', 'deleted'],
] as const)('a lock says that its run is held to %s it', async (purpose, told) => {
  const locks = createRunLocks(await openTable());
  await locks.take(RUN, purpose);
  expect(await locks.owner(RUN)).toEqual({ pid: process.pid, purpose });
  await expect(locks.take(RUN)).rejects.toThrow(
    `run "${RUN}" is being ${told} by process ${process.pid}; see: cadre runs`,
  );
});

test.each([null, 1, {}, { process: 1, purpose: 'close' }, { process: `${process.pid}`, purpose: 'play' }])(
  'a lock that holds %j holds nothing',
  async (value) => {
    const locks = createRunLocks(await openTable(value));
    expect(await locks.isTaken(RUN)).toBe(false);
    await locks.take(RUN);
  },
);

test.each([
  ['a process that died', () => `${spawnSync('true').pid} since then`],
  ["an earlier process of this one's number", () => `${process.pid} since then`],
  ['an earlier process of a number that somebody else has now', () => `${process.ppid} since then`],
])('a run that %s left behind can be taken', async (_, name) => {
  const locks = createRunLocks(await openTable(name()));
  expect(await locks.owner(RUN)).toBeUndefined();
  await locks.take(RUN);
  expect(await locks.owner(RUN)).toEqual({ pid: process.pid, purpose: 'carry out' });
});

test('of two that find what was left behind one takes the run', async () => {
  const table = await openTable(`${spawnSync('true').pid} since then`);
  const both = [createRunLocks(table), createRunLocks(table)].map((locks) => locks.take(RUN));
  const outcomes = (await Promise.allSettled(both)).map(({ status }) => status);
  expect(outcomes.sort()).toEqual(['fulfilled', 'rejected']);
});

test('a run that could not be released is released once that can be', async () => {
  const table = await openTable();
  let isFull = true;
  const locks = createRunLocks({
    ...boundTo(table),
    async deleteAll(keys) {
      if (isFull) throw new StoreError('no room');
      await deleteItems(keys, table);
    },
  });
  const others = createRunLocks(table);
  await locks.take(RUN);
  await expect(locks.release(RUN)).rejects.toThrow('no room');
  await expect(locks.take(RUN)).rejects.toThrow(`run "${RUN}" is running in process ${process.pid}`);
  isFull = false;
  expect([await locks.isTaken(RUN), await others.isTaken(RUN)]).toEqual([false, false]);
  await locks.take(RUN);
  expect(await others.isTaken(RUN)).toBe(true);
});
