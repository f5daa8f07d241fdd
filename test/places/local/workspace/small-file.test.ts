import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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

// On systems that have no such thing there is no such test: one that is skipped fails a whole run.
test.each(['/proc/self/environ'].filter((file) => existsSync(file)))(
  '%s, the environment of a process, is no file',
  async (file) => {
    await expect(readSmallFile(file, 'failed')).rejects.toThrow(
      'failed: it contains more than the 0 bytes that its size says',
    );
  },
);
