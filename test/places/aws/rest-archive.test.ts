import { appendFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { buffer } from 'node:stream/consumers';
import { packTar } from 'modern-tar/fs';
import { expect, onTestFinished, test } from 'vitest';
import { lookThrough } from '../../../src/places/aws/sandbox/look-through.ts';
import { RestArchive } from '../../../src/places/aws/sandbox/rest-archive.ts';
import { openS3Workspace } from '../../../src/places/aws/s3-workspace.ts';
import { contentOf } from '../../fixtures/folder-content.ts';
import { checksumOf, s3Client, startS3Server } from '../../fixtures/s3-server.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const signal = new AbortController().signal;

/** A bucket in which the rests of a tree are kept. */
async function openBucket() {
  const server = await startS3Server('bucket');
  onTestFinished(() => server.close());
  const kept = openS3Workspace({ client: s3Client(server.endpoint), bucket: 'bucket', prefix: 'rest/' });
  const put = (bytes: Buffer) =>
    void server.objects.set('rest/rest.tar.gz', { bytes, contentType: '', checksum: checksumOf(bytes) });
  /** A machine with these files, and others that it has written. */
  const openMachine = async (files: Record<string, string>) => {
    const folder = await tempFolder({ '.gitignore': 'out\n', ...files });
    const archive = new RestArchive(folder);
    const rest = async () => (await lookThrough(folder, () => false)).rest;
    return {
      folder,
      pack: async () => archive.pack(await rest(), kept, signal),
      unpack: async () => {
        await archive.unpack(kept, signal);
        archive.note(await rest());
      },
      isCurrent: () => archive.isCurrent(kept),
      clear: () => archive.clear(),
    };
  };
  return { objects: server.objects, put, openMachine };
}

test('what one machine packs, another one unpacks beside what it has', async () => {
  const { openMachine } = await openBucket();
  const one = await openMachine({ 'out/a.txt': 'one', 'out/b/c.txt': 'two', 'd.txt': 'not of the rest' });
  await symlink('../a.txt', join(one.folder, 'out/b/link'));
  expect(await one.pack()).toEqual([]);

  const other = await openMachine({ 'out/a.txt': 'its own' });
  expect([await one.isCurrent(), await other.isCurrent()]).toEqual([true, false]);
  await other.unpack();
  expect(await other.isCurrent()).toBe(true);
  expect(await contentOf(other.folder)).toEqual({
    '': '700 ',
    '.gitignore': '644 out\n',
    out: '755 ',
    'out/a.txt': '644 its own',
    'out/b': '755 ',
    'out/b/c.txt': '644 two',
    'out/b/link': '777 ',
  });
  other.clear();
  expect(await other.isCurrent()).toBe(false);
});

test('a machine finds nothing where nothing was kept, and keeps nothing where nothing has changed', async () => {
  const { openMachine, objects } = await openBucket();
  const machine = await openMachine({ 'out/a.txt': 'one' });
  expect(await machine.isCurrent()).toBe(true);
  await machine.unpack();
  expect(await machine.pack()).toEqual([]);
  expect([...objects.keys()]).toEqual([]);
  await appendFile(join(machine.folder, 'out/a.txt'), ' and two');
  expect(await machine.pack()).toEqual([]);
  expect([...objects.keys()]).toEqual(['rest/rest.tar.gz']);
});

test('what another machine has kept meanwhile is not written over', async () => {
  const { openMachine } = await openBucket();
  const one = await openMachine({ 'out/a.txt': 'one' });
  const other = await openMachine({ 'out/a.txt': 'two' });
  expect(await one.pack()).toEqual([]);
  expect(await other.pack()).toEqual([
    'what .gitignore names, and node_modules, are as another command of this task has left them meanwhile',
  ]);
  expect([await one.isCurrent(), await other.isCurrent()]).toEqual([true, false]);
});

/** A packed archive with one file, and its list of links. */
async function packed(links: string): Promise<Buffer> {
  return gzipSync(
    await buffer(
      packTar([
        { type: 'content', target: 'x', content: 'small' },
        { type: 'content', target: '.cadre/links.json', content: links },
      ]),
    ),
  );
}

test.each([
  ['whose links lead out', packed('[["../../x","/etc/passwd"]]'), 'a link leads out of the archive'],
  ['that is none', Promise.resolve(Buffer.from('no archive')), 'incorrect header check'],
])('an archive %s is refused', async (_, archive, message) => {
  const { openMachine, put } = await openBucket();
  put(await archive);
  const machine = await openMachine({});
  await expect(machine.unpack()).rejects.toThrow(message);
  expect(await machine.isCurrent()).toBe(false);
});
