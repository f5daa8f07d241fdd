import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { StoreError } from '../../../src/errors.ts';
import {
  lookIntoLocalStore,
  openLocalStore,
  shareLocalStore,
} from '../../../src/places/local/local-store.ts';
import { contentOf } from '../../fixtures/folder-content.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

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

describe('a foreign folder', () => {
  const project = { '.cadre/runs.txt': 'x' };

  test.each([
    ['.cadre', 'folder', 'folder', {}],
    ['.cadre', 'folder', 'nothing', {}],
    ['.cadre', 'folder', 'file', {}],
    ['.cadre/.gitignore', 'regular file', 'file', project],
    ['.cadre/.gitignore', 'regular file', 'nothing', project],
    ['.cadre/store', 'folder', 'folder', project],
    ['.cadre/store', 'folder', 'nothing', project],
    ['.cadre/store/store.mdb', 'regular file', 'file', project],
    ['.cadre/store/store.mdb', 'regular file', 'empty', project],
    ['.cadre/store/store.mdb', 'regular file', 'nothing', project],
    ['.cadre/store/store.mdb-lock', 'regular file', 'file', project],
    ['.cadre/store/store.mdb-lock', 'regular file', 'nothing', project],
    ['.cadre/blobs', 'folder', 'folder', project],
    ['.cadre/blobs', 'folder', 'nothing', project],
  ])(
    'with a link at %s, for a %s, to a %s is refused by name and nothing is changed',
    async (at, kind, to, files) => {
      const outside = await tempFolder({ 'folder/kept': 'theirs', file: 'theirs', empty: '' });
      await chmod(join(outside, 'folder'), 0o755);
      const target = join(outside, to);
      const cwd = await tempFolder({ ...files, [at]: { linkTo: target } });
      const before = await Promise.all([contentOf(outside), contentOf(cwd)]);
      const refusal = new StoreError(
        `${join(cwd, at)} is a link to "${target}", not a ${kind}; move it away`,
      );
      await expect(lookIntoLocalStore(cwd)).rejects.toEqual(refusal);
      await expect(openLocalStore(cwd)).rejects.toEqual(refusal);
      expect(await Promise.all([contentOf(outside), contentOf(cwd)])).toEqual(before);
    },
  );

  test.each([
    ['.cadre', 'folder'],
    ['.cadre/.gitignore', 'regular file'],
    ['.cadre/store', 'folder'],
    ['.cadre/store/store.mdb', 'regular file'],
    ['.cadre/store/store.mdb-lock', 'regular file'],
    ['.cadre/blobs', 'folder'],
  ])('with a pipe at %s is refused by name', async (at, kind) => {
    const cwd = await tempFolder();
    await mkdir(join(cwd, at, '..'), { recursive: true });
    execFileSync('mkfifo', [join(cwd, at)]);
    await expect(lookIntoLocalStore(cwd)).rejects.toEqual(
      new StoreError(`${join(cwd, at)} is a pipe, not a ${kind}; move it away`),
    );
  });

  test('is used as it is where all in it is of its kind', async () => {
    const cwd = await tempFolder({ '.cadre/.gitignore': 'theirs\n', '.cadre/store/other': 'theirs' });
    const store = await openLocalStore(cwd);
    await store.close();
    expect(await readFile(join(cwd, '.cadre/.gitignore'), 'utf8')).toBe('theirs\n');
  });
});

test('a store that is shared stays open until each user has closed it, however often another one does', async () => {
  const cwd = await tempFolder();
  const [one, other] = [await shareLocalStore(cwd), await shareLocalStore(cwd)];
  await one.locks.take('a-run');
  await one.close();
  await one.close();
  expect(await other.locks.isTaken('a-run')).toBe(true);
  await other.close();
});
