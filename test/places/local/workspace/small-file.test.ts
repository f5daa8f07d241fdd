import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fileFault } from '../../../../src/places/local/workspace/file-fault.ts';
import { readSmallFile } from '../../../../src/places/local/workspace/small-file.ts';
import { emptyFolder, tempFolder } from '../../../fixtures/temp-folder.ts';

test('a file is read whole, and one that is not there is undefined', async () => {
  const folder = await tempFolder({ file: 'é\n', empty: '' });
  expect(await readSmallFile(join(folder, 'file'), 'no')).toEqual(await readFile(join(folder, 'file')));
  expect(await readSmallFile(join(folder, 'empty'), 'no')).toHaveLength(0);
  expect(await readSmallFile(join(folder, 'none'), 'no')).toBeUndefined();
});

test('a file that is no regular one is not read, and not waited for', async () => {
  const folder = await tempFolder({ folder: emptyFolder, large: new Uint8Array(1_000_001) });
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  const read = (name: string) => readSmallFile(join(folder, name), 'failed');
  await expect(read('pipe')).rejects.toThrow('failed: it is not a regular file');
  await expect(read('folder')).rejects.toThrow('failed: it is a folder, not a file');
  await expect(read('large')).rejects.toThrow('failed: it has 1000001 bytes, at most 1000000 are allowed');
});

test('what is no regular file is not opened, which would do something to whoever waits there', async () => {
  const socket = join(await tempFolder(), 'socket');
  const server = createServer().listen(socket);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  // To open it is an error of its own.
  await expect(readSmallFile(socket, 'failed')).rejects.toThrow('failed: it is not a regular file');
});

// On systems that have no such thing there is no such test: one that is skipped fails a whole run.
test.each(['/proc/self/environ'].filter((file) => existsSync(file)))(
  '%s, the environment of a process, is no file',
  async (file) => {
    await expect(readSmallFile(file, 'failed')).rejects.toThrow(
      'failed: it contains more than the 0 bytes that its size says',
    );
  },
);

test.each([
  ['EACCES', 'permission denied'],
  ['EDQUOT', 'the quota of the disk is used up'],
  ['EEXIST', 'it exists already'],
  ['EFBIG', 'it is larger than is allowed here'],
  ['EISDIR', 'it is a folder, not a file'],
  ['ELOOP', 'its links lead round in a circle'],
  ['ENAMETOOLONG', 'its name is too long'],
  ['ENOENT', 'there is no such file or folder'],
  ['ENOSPC', 'the disk is full'],
  ['ENOTDIR', 'a part of its path is a file, not a folder'],
  ['EPERM', 'operation not permitted'],
  ['EROFS', 'the disk is read-only'],
  ['EIO', 'as the system says'],
])('why the file system refused is told in words: %s', (code, words) => {
  expect(fileFault(Object.assign(new Error('as the system says'), { code }))).toBe(words);
});
