import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
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

const TOO_MANY =
  'not kept, since at most 2,000 files and 200 MB are after a command, but for what .gitignore names';
const found = (path: string, size = 0) => ({ path, size, stamp: '' });

test('of too many changes, those of known files are written back first, and the model is told of the rest', async () => {
  const { copy, workspace, isStored } = await open({ 'y.txt': 'one', 'z.txt': 'one' });
  await writeFile(join(copy.folder, 'z.txt'), 'two');
  // All others have gone again.
  const names = Array.from({ length: 2_001 }, (_, index) => `new-${String(index).padStart(4, '0')}`);
  const files = [...names, 'z.txt'].map((path) => found(path));
  expect(await copy.writeBack(files, workspace, signal)).toEqual([
    `in the working directory as somebody else has left them meanwhile: ${names.slice(0, 10).join(', ')} and 1987 more`,
    `${TOO_MANY}: new-1997, new-1998, new-1999, new-2000`,
  ]);
  expect(await Promise.all(['y.txt', 'z.txt'].map(isStored))).toEqual([false, true]);
});

test('of changes that are too large, those that fit are written back', async () => {
  const { copy, workspace, isStored } = await open({});
  for (const name of ['a', 'b', 'c']) await writeFile(join(copy.folder, name), '');
  const files = [found('a', 200 * 2 ** 20), found('b', 1), found('c', 0)];
  expect(await copy.writeBack(files, workspace, signal)).toEqual([`${TOO_MANY}: b`]);
  expect(await Promise.all(['a', 'b', 'c'].map(isStored))).toEqual([true, false, true]);
});

test('only changed files are read and written, and programs can be run', async () => {
  const { copy, workspace, writeBack, stored } = await open({ a: 'one', 'd/b': '#!/bin/sh\n', c: '\x7fELF' });
  const seen: string[] = [];
  const watched: Workspace = {
    ...workspace,
    // As a bucket does, and no folder.
    async *list(...given) {
      for await (const file of workspace.list(...given)) {
        yield { ...file, version: (await workspace.read(file.path)).version() };
      }
    },
    read: async (...given: Parameters<Workspace['read']>) => {
      seen.push(`read ${given[0]}`);
      return workspace.read(...given);
    },
    write: async (...given: Parameters<Workspace['write']>) => {
      seen.push(`write ${given[0]}`);
      return workspace.write(...given);
    },
  };
  const modes = ['a', 'd/b', 'c'].map(async (path) =>
    ((await stat(join(copy.folder, path))).mode & 0o777).toString(8),
  );
  expect(await Promise.all(modes)).toEqual(['644', '755', '755']);
  await workspace.write('e', new TextEncoder().encode('new'), undefined);
  await rm(join(stored, 'c'));
  await copy.layOut(watched, signal);
  expect([seen, await readdir(copy.folder)]).toEqual([['read e'], ['.keep', 'a', 'd', 'e']]);
  seen.length = 0;
  await writeFile(join(copy.folder, 'a'), 'one');
  await writeFile(join(copy.folder, 'e'), 'mine');
  await rm(join(copy.folder, 'd/b'));
  const all = (await lookThrough(copy.folder, copy.isKnown)).files;
  expect([await copy.writeBack(all, watched, signal), seen]).toEqual([[], ['write e']]);
  expect([await readFile(join(stored, 'e'), 'utf8'), await readdir(join(stored, 'd'))]).toEqual(['mine', []]);
  expect(await writeBack()).toEqual([]);
});

test('a file that somebody else has changed meanwhile stays as it is, and is laid out again', async () => {
  const { copy, workspace, writeBack, stored } = await open({ a: 'one', b: 'one', c: 'one' });
  for (const name of ['a', 'c']) await writeFile(join(copy.folder, name), 'mine');
  await rm(join(copy.folder, 'b'));
  for (const name of ['a', 'b']) await writeFile(join(stored, name), 'theirs');
  await rm(join(stored, 'c'));
  expect(await writeBack()).toEqual([
    'in the working directory as somebody else has left them meanwhile: a, b, c',
  ]);
  await copy.layOut(workspace, signal);
  const texts = ['a', 'b'].map((name) => readFile(join(copy.folder, name), 'utf8'));
  expect([await Promise.all(texts), copy.isKnown('a'), copy.isKnown('c')]).toEqual([
    ['theirs', 'theirs'],
    true,
    false,
  ]);
  copy.clear();
  expect(copy.isKnown('a')).toBe(false);
  await expect(readdir(copy.folder)).rejects.toThrow('ENOENT');
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
