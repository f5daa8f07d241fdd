import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { buffer } from 'node:stream/consumers';
import { packTar, type TarSource } from 'modern-tar/fs';
import { expect, test } from 'vitest';
import type { Workspace } from '../../../src/core/agent-schema/workspace.ts';
import { lookThrough } from '../../../src/places/aws/sandbox/look-through.ts';
import { RestArchive } from '../../../src/places/aws/sandbox/rest-archive.ts';
import { WorkspaceCopy } from '../../../src/places/aws/sandbox/workspace-copy.ts';
import { openFolderWorkspace } from '../../../src/places/local/workspace/folder-workspace.ts';
import { emptyFolder, tempFolder } from '../../fixtures/temp-folder.ts';

const signal = new AbortController().signal;

/** A workspace with these files, and a copy of it. */
async function open(files: Record<string, string>) {
  const stored = await tempFolder({ ...files, '.keep': '' });
  const workspace = openFolderWorkspace(stored);
  const copy = new WorkspaceCopy(join(await tempFolder(), 'work'));
  await copy.layOut(workspace, signal);
  const writeBack = async () =>
    copy.writeBack((await lookThrough(copy.folder, copy.isKnown)).files, workspace, signal);
  const isStored = (path: string) =>
    workspace.stat(path).then(
      ({ kind }) => kind === 'file',
      () => false,
    );
  return { stored, workspace, copy, writeBack, isStored };
}

test('of too many changes, those of known files are written back first, and the model is told of the rest', async () => {
  const { copy, writeBack, isStored } = await open({ 'z.txt': 'one' });
  await writeFile(join(copy.folder, 'z.txt'), 'two');
  const names = Array.from({ length: 2_003 }, (_, index) => `new-${String(index).padStart(4, '0')}`);
  for (const name of names) await writeFile(join(copy.folder, name), '');
  expect(await writeBack()).toEqual([
    'not kept, since at most 2,000 files and 200 MB are after a command, but for what .gitignore names: new-1999, new-2000, new-2001, new-2002',
  ]);
  expect(await Promise.all(['z.txt', 'new-1998', 'new-1999'].map(isStored))).toEqual([true, true, false]);
});

test('a workspace that is too large is not laid out at all', async () => {
  const copy = new WorkspaceCopy(join(await tempFolder(), 'work'));
  const large: Pick<Workspace, 'list'> = {
    async *list() {
      for (let index = 0; index <= 1_024; index++) {
        const stat = async () => ({ size: 1024 ** 2, modified: 0 });
        yield {
          path: `${index}`,
          isLink: false,
          version: 'v',
          stat,
          read: () => Promise.reject(new Error('read')),
        };
      }
    },
  };
  await expect(copy.layOut({ ...openFolderWorkspace(copy.folder), ...large }, signal)).rejects.toThrow(
    'the working directory is too large for commands, which take at most 20000 files and 1 GB',
  );
});

test('a file is laid out where a command has put a folder or a link in its way', async () => {
  const { stored, copy, workspace } = await open({ 'a/b.txt': 'one', c: 'two' });
  const outside = await tempFolder({ 'b.txt': 'outside' });
  copy.clear();
  await mkdir(join(copy.folder, 'c/d'), { recursive: true });
  await symlink(outside, join(copy.folder, 'a'));
  await copy.layOut(workspace, signal);
  expect(await readFile(join(copy.folder, 'a/b.txt'), 'utf8')).toBe('one');
  expect(await readFile(join(copy.folder, 'c'), 'utf8')).toBe('two');
  expect(await readFile(join(outside, 'b.txt'), 'utf8')).toBe('outside');
  expect(await readFile(join(stored, 'c'), 'utf8')).toBe('two');
});

test.each<[string, TarSource[], string]>([
  [
    'leads out by a link',
    [{ type: 'content', target: '.cadre/links.json', content: '[["../x", "y"]]' }],
    'a link leads out',
  ],
  [
    'goes through a link',
    [{ type: 'content', target: '.cadre/links.json', content: '[["a", "/tmp"], ["a/x", "y"]]' }],
    'ENOTDIR',
  ],
  ['has no list of links', [{ type: 'content', target: 'x', content: 'x' }], 'ENOENT'],
])('an archive is refused that %s', async (_, sources, why) => {
  const kept = await tempFolder({ 'x.txt': '' });
  await writeFile(join(kept, 'rest.tar.gz'), gzipSync(await buffer(packTar(sources))));
  const above = await tempFolder({ work: emptyFolder });
  const archive = new RestArchive(join(above, 'work'));
  await expect(archive.unpack(openFolderWorkspace(kept), signal)).rejects.toThrow(why);
  await expect(readFile(join(above, 'x'))).rejects.toThrow('ENOENT');
});

test('an archive that says that it holds more than there is room for is given up before it is unpacked', async () => {
  const tar = await buffer(packTar([{ type: 'content', target: 'x', content: 'small' }]));
  // 2 GB; the header's checksum counts itself as spaces (POSIX, "ustar Interchange Format").
  tar.write('20000000000', 124);
  tar.fill(' ', 148, 156);
  const sum = tar.subarray(0, 512).reduce((all, byte) => all + byte, 0);
  tar.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const kept = await tempFolder({ 'x.txt': '' });
  await writeFile(join(kept, 'rest.tar.gz'), gzipSync(tar));
  const archive = new RestArchive(join(await tempFolder(), 'work'));
  await expect(archive.unpack(openFolderWorkspace(kept), signal)).rejects.toThrow(
    'the archive holds too much',
  );
});
