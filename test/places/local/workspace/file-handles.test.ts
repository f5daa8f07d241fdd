import { execFileSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readStart } from '../../../../src/core/agent-schema/workspace.ts';
import { openFolderWorkspace } from '../../../../src/places/local/workspace/folder-workspace.ts';
import { readSmallFile } from '../../../../src/places/local/workspace/small-file.ts';
import { emptyFolder, tempFolder } from '../../../fixtures/temp-folder.ts';

const READS = 100;

/** The number that the next file gets: POSIX gives the lowest that is free. */
function nextNumber(path: string): number {
  const number = openSync(path, 'r');
  closeSync(number);
  return number;
}

async function folderOfAllKinds() {
  const folder = await tempFolder({ file: 'text', folder: emptyFolder, large: new Uint8Array(1_000_001) });
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  return folder;
}

const KINDS = ['file', 'folder', 'large', 'pipe'];

test.each(KINDS)(
  'a %s that a person wrote by hand is closed, after reading it with any result',
  async (kind) => {
    const path = join(await folderOfAllKinds(), kind);
    const before = nextNumber(import.meta.filename);
    for (let reads = 0; reads < READS; reads++) await readSmallFile(path, 'no').catch(() => {});
    expect(nextNumber(import.meta.filename)).toBeLessThan(before + READS / 2);
  },
);

test.each(KINDS)('a %s of a workspace is closed, after reading it with any result', async (kind) => {
  const workspace = openFolderWorkspace(await folderOfAllKinds());
  const before = nextNumber(import.meta.filename);
  await Promise.all(Array.from({ length: READS }, () => readStart(workspace, kind, 3)));
  expect(nextNumber(import.meta.filename)).toBeLessThan(before + READS / 2);
});
