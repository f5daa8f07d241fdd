import { chmod, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLocalStore } from '../../src/pipeline/local-store.ts';
import { tempFolder } from '../fixtures/temp-folder.ts';

test.each([
  ['a new one', async () => {}],
  [
    'one that was open to all',
    async (folder: string) => {
      await mkdir(folder);
      await chmod(folder, 0o755);
    },
  ],
])('the store is for its owner alone: %s', async (_, prepare) => {
  const cwd = await tempFolder();
  const folder = join(cwd, '.cadre');
  await prepare(folder);
  const store = await openLocalStore(cwd);
  await store.blobs.put('a/b', 'text');
  await store.close();
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect((await stat(join(folder, 'blobs/a/b'))).mode & 0o777).toBe(0o600);
});
