import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { WorkspaceError } from '../../../../src/core/agent-schema/workspace.ts';
import { openFolderWorkspace } from '../../../../src/places/local/workspace/folder-workspace.ts';
import { cases } from '../../../fixtures/cases.ts';
import { tempFolder } from '../../../fixtures/temp-folder.ts';

/** Puts a link to the folder outside in the place of the folder inside, and back, as fast as it can. */
const SWAP = `
  const { existsSync, renameSync, rmSync, symlinkSync, unlinkSync } = require('node:fs');
  const { workerData: { work, stop }, parentPort } = require('node:worker_threads');
  const [folder, kept] = [work + '/folder', work + '/kept'];
  for (parentPort.postMessage('begun'); Atomics.load(new Int32Array(stop), 0) === 0; ) {
    try {
      renameSync(folder, kept);
      symlinkSync('../outside', folder);
      unlinkSync(folder);
      renameSync(kept, folder);
    } catch {
      // Another process made a folder where there was none for a moment, and may still be writing into it.
      try {
        rmSync(folder, { recursive: true, force: true });
        if (existsSync(kept)) renameSync(kept, folder);
      } catch {}
    }
  }
`;

const ROUNDS = cases(200);
const bytes = new TextEncoder().encode('written');

test('a link that takes the place of a folder between check and use leads nowhere', async () => {
  const root = await tempFolder({
    'work/folder/a.txt': 'inside',
    'work/folder/b.txt': 'inside',
    'outside/a.txt': 'secret',
    'outside/b.txt': 'secret',
    'outside/marker': 'secret',
  });
  const stop = new SharedArrayBuffer(4);
  const worker = new Worker(SWAP, { eval: true, workerData: { work: join(root, 'work'), stop } });
  await new Promise((resolve) => worker.once('message', resolve));
  const workspace = openFolderWorkspace(join(root, 'work'));
  const secret = (await openFolderWorkspace(join(root, 'outside')).read('b.txt')).version();

  let done = 0;
  const attempt = async (work: () => Promise<unknown>) => {
    try {
      const result = await work();
      done++;
      return result;
    } catch (error) {
      if (!(error instanceof WorkspaceError)) throw error;
      return undefined;
    }
  };
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const read = await attempt(async () =>
        Buffer.from((await workspace.read('folder/a.txt')).bytes).toString(),
      );
      expect(read ?? 'inside').toBe('inside');
      await attempt(() => workspace.delete('folder/b.txt', secret));
      const entries = await attempt(async () => (await workspace.entries('folder')).map(({ name }) => name));
      expect(entries ?? []).not.toContain('marker');
      // Each waits for the disk.
      if (round % 10 === 0) {
        await attempt(() => workspace.write(`folder/new-${round}/file`, bytes, undefined));
        await attempt(() => workspace.write('folder/b.txt', bytes, secret));
      }
      for await (const file of workspace.list(() => true)) {
        const text = await attempt(async () => Buffer.from((await file.read()).bytes).toString());
        expect(text).not.toBe('secret');
      }
    }
  } finally {
    Atomics.store(new Int32Array(stop), 0, 1);
    await new Promise((resolve) => worker.once('exit', resolve));
  }

  expect(done).toBeGreaterThan(0);
  expect((await readdir(join(root, 'outside'))).sort()).toEqual(['a.txt', 'b.txt', 'marker']);
  expect(await readFile(join(root, 'outside/b.txt'), 'utf8')).toBe('secret');
});
