import { spawn, spawnSync } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { createRunLocks } from '../../src/cli/run-lock.ts';
import { tempFolder } from '../fixtures/temp-folder.ts';

const RUN = 'top-00000000000000';

test('a run that is taken is not given to anybody until it is released', async () => {
  const locks = createRunLocks(await tempFolder());
  expect(await locks.isHeld(RUN)).toBe(false);
  await locks.take(RUN);
  expect(await locks.isHeld(RUN)).toBe(true);
  await expect(locks.take(RUN)).rejects.toThrow(
    `run "${RUN}" is being carried out by process ${process.pid}; wait for it, or stop it first`,
  );
  await locks.take('other-00000000000001');
  await locks.release(RUN);
  await locks.take(RUN);
});

test('a run of another process is held while that lives', async () => {
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  onTestFinished(() => void other.kill('SIGKILL'));
  const locks = createRunLocks(await tempFolder({ [`running/${RUN}`]: `${other.pid}` }));
  expect(await locks.isHeld(RUN)).toBe(true);
  await expect(locks.take(RUN)).rejects.toThrow(`by process ${other.pid};`);
});

test.each([
  ['a process that died', () => `${spawnSync('true').pid}`],
  ['an earlier process of the same number', () => `${process.pid}`],
  ['a process that died while it wrote', () => ''],
])('a run that %s left behind can be taken', async (_, content) => {
  const locks = createRunLocks(await tempFolder({ [`running/${RUN}`]: content() }));
  expect(await locks.isHeld(RUN)).toBe(false);
  await locks.take(RUN);
  expect(await locks.isHeld(RUN)).toBe(true);
});
