import { execFileSync } from 'node:child_process';
import { pbkdf2 } from 'node:crypto';
import { rmdirSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StoreError } from '../../../../src/errors.ts';
import { createFolderBlobs } from '../../../../src/places/local/store/folder-blobs.ts';
import { tempFolder } from '../../../fixtures/temp-folder.ts';
import { describeBlobs } from '../../store/blobs-contract.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'folder-blobs-'));
});
afterAll(() => rm(folder, { recursive: true }));

describeBlobs('blobs in a folder', async () => createFolderBlobs(join(folder, 'contract')));

test('keeps texts as files of UTF-8 under their keys, and nothing beside them', async () => {
  const blobs = createFolderBlobs(join(folder, 'files'));
  await Promise.all(Array.from({ length: 10 }, () => blobs.put('run-1/turn-1', 'é')));
  expect(await readdir(join(folder, 'files'), { recursive: true })).toEqual([
    'run-1',
    join('run-1', 'turn-1'),
  ]);
  expect(await readFile(join(folder, 'files', 'run-1', 'turn-1'), 'utf8')).toBe('é');
});

test('leaves no folders behind of what was removed, but the first level', async () => {
  const blobs = createFolderBlobs(join(folder, 'removed'));
  await blobs.put('run/one/turn/a', 'a');
  await blobs.put('run/two/turn/b', 'b');
  await blobs.delete('run/one/turn/a');
  expect(await readdir(join(folder, 'removed'), { recursive: true })).toEqual(
    ['run', 'run/two', 'run/two/turn', 'run/two/turn/b'].map((path) => join(...path.split('/'))),
  );
  await blobs.delete('run/two/turn/b');
  expect(await readdir(join(folder, 'removed'), { recursive: true })).toEqual(['run']);
});

test('says what is in the way of a blob and leaves nothing behind', async () => {
  const path = join(folder, 'in the way');
  await mkdir(join(path, 'taken'), { recursive: true });
  await writeFile(join(path, 'file'), '');
  const blobs = createFolderBlobs(path);
  const hint = 'make sure that the folder is writable and its disk has space';
  await expect(blobs.put('taken', 'text')).rejects.toThrow(
    new RegExp(`^cannot write blob "taken" to .*in the way: EISDIR.*: ${hint}$`),
  );
  await expect(blobs.put('file/a', 'text')).rejects.toThrow(
    join(path, 'file is a regular file, not a folder; move it away'),
  );
  await expect(blobs.get('taken')).rejects.toThrow(
    join(path, 'taken is a folder, not a regular file; move it away'),
  );
  await expect(blobs.get('taken')).rejects.toBeInstanceOf(StoreError);
  expect((await readdir(path)).sort()).toEqual(['file', 'taken']);
});

test('does not wait at a pipe that took the place of a blob', async () => {
  const path = join(folder, 'pipes');
  await mkdir(path);
  execFileSync('mkfifo', [join(path, 'pipe')]);
  await expect(createFolderBlobs(path).get('pipe')).rejects.toThrow(
    join(path, 'pipe is a pipe, not a regular file; move it away'),
  );
});

describe('a link in place of', () => {
  const outside = { 'outside/run/turn/a': 'secret', 'outside/a': 'secret' };
  const told = (path: string, target: string, kind: string) =>
    `${path} is a link to "${target}", not a ${kind}; move it away`;

  test.each([
    ['the folder of all blobs', 'blobs', 'outside'],
    ['a folder in it', 'blobs/run', '../outside/run'],
    ['a folder below', 'blobs/run/turn', '../../outside/run/turn'],
  ])('%s is refused, and what it leads to is left alone', async (_, at, target) => {
    const root = await tempFolder({ ...outside, [at]: { linkTo: target } });
    const blobs = createFolderBlobs(join(root, 'blobs'));
    const refusal = told(join(root, at), target, 'folder');
    await expect(blobs.get('run/turn/a')).rejects.toThrow(refusal);
    await expect(blobs.put('run/turn/a', 'mine')).rejects.toThrow(refusal);
    await expect(blobs.put('run/turn/b', 'mine')).rejects.toThrow(refusal);
    await expect(blobs.delete('run/turn/a')).rejects.toThrow(refusal);
    expect(await readdir(join(root, 'outside'), { recursive: true })).toEqual(
      ['a', 'run', 'run/turn', 'run/turn/a'].map((path) => join(...path.split('/'))),
    );
    expect(await readFile(join(root, 'outside/run/turn/a'), 'utf8')).toBe('secret');
  });

  test('a blob is not read, and is replaced and removed without what it leads to', async () => {
    const root = await tempFolder({ ...outside, 'blobs/a': { linkTo: '../outside/a' } });
    const blobs = createFolderBlobs(join(root, 'blobs'));
    await expect(blobs.get('a')).rejects.toThrow(told(join(root, 'blobs/a'), '../outside/a', 'regular file'));
    await blobs.put('a', 'mine');
    expect(await blobs.get('a')).toBe('mine');
    await blobs.delete('a');
    expect(await readFile(join(root, 'outside/a'), 'utf8')).toBe('secret');
  });
});

test('a blob is written also where another process removes its folder, which it has found empty', async () => {
  const folder = await tempFolder();
  const blobs = createFolderBlobs(folder);
  // What the file system is asked for waits behind these.
  const busy = Array.from({ length: 16 }, () => promisify(pbkdf2)('', '', 50_000, 64, 'sha512'));
  const put = blobs.put('a/b/one', 'x');
  rmdirSync(join(folder, 'a', 'b'));
  await put;
  expect(await blobs.get('a/b/one')).toBe('x');
  await Promise.all(busy);
});
