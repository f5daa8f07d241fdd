import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resolveFiles } from '../../../src/core/agent-schema/context-files.ts';
import { readStart } from '../../../src/core/agent-schema/workspace.ts';
import { openS3Workspace } from '../../../src/places/aws/s3-workspace.ts';
import { checksumOf, s3Client, startS3Server, type S3Server } from '../../fixtures/s3-server.ts';
import { describeWorkspace, expectFault, pathsOf } from '../local/workspace/workspace-contract.ts';

let server: S3Server;
beforeAll(async () => {
  server = await startS3Server('bucket');
  const put = (key: string, text: string) =>
    server.objects.set(key, { bytes: Buffer.from(text), contentType: 'text/plain', checksum: '' });
  put('workspace/docs/a.md', 'the first');
  put('workspace/docs/b.md', '');
  put('workspace/docs/deep/c.md', 'the third');
  put('workspace/docs/deep/', '');
  put('workspace/docs2/d.md', 'of another workdir');
  put('runs/e.md', 'of a run');
});
afterAll(() => server.close());

const open = (prefix: string) =>
  openS3Workspace({ client: s3Client(server.endpoint, { maxAttempts: 1 }), bucket: 'bucket', prefix });

let workspaces = 0;

describeWorkspace('a prefix of a bucket as a workspace', async (files) => {
  const prefix = `workspace/${workspaces++}/`;
  for (const [path, text] of Object.entries(files)) {
    server.objects.set(prefix + path, {
      bytes: Buffer.from(text),
      contentType: '',
      checksum: checksumOf(Buffer.from(text)),
      modified: new Date(),
    });
  }
  return open(prefix);
});

describe('a workspace in a bucket', () => {
  test('holds what lies under its prefix, over any number of pages, without the marks of folders', async () => {
    const paths = await pathsOf(open('workspace/docs/'));
    expect(paths.sort()).toEqual(['a.md', 'b.md', 'deep/c.md']);
  });

  test('gives agents their files as a folder does', async () => {
    expect(await resolveFiles(['**/*.md'], open('workspace/docs/'))).toEqual([
      { path: 'a.md', text: 'the first' },
      { path: 'b.md', text: '' },
      { path: 'deep/c.md', text: 'the third' },
    ]);
  });

  test('reads the start of a file and no more', async () => {
    const { bytes, size } = await open('workspace/docs/').read('a.md', { limit: 3 });
    expect([Buffer.from(bytes).toString(), size]).toEqual(['the', 9]);
  });

  test('has no file where there is none', async () => {
    expect(await readStart(open('workspace/docs/'), 'none.md', 3)).toBeUndefined();
  });

  test('begins a write again that met another one, and tells in the end', async () => {
    const workspace = open('workspace/conflicts/');
    server.conflicts = 4;
    await workspace.write('a', new Uint8Array(), undefined);
    server.conflicts = 5;
    await expectFault(workspace.write('b', new Uint8Array(), undefined), 'busy');
    expect(await pathsOf(workspace)).toEqual(['a']);
  });

  test('hides keys that no path leads to', async () => {
    for (const key of ['a', 'b//c', '../d', './e', '/f', 'g/../h', 'i/.', '.j', '..k']) {
      server.objects.set(`odd/${key}`, { bytes: Buffer.from(''), contentType: '', checksum: '' });
    }
    expect(await pathsOf(open('odd/'))).toEqual(['..k', '.j', 'a']);
    expect((await open('odd/').entries('')).map(({ name }) => name).sort()).toEqual([
      '..k',
      '.j',
      'a',
      'b',
      'g',
      'i',
    ]);
  });

  test('that cannot be listed says so', async () => {
    const elsewhere = openS3Workspace({
      client: s3Client(server.endpoint),
      bucket: 'none',
      prefix: 'workspace/',
    });
    await expect(pathsOf(elsewhere)).rejects.toMatchObject({
      name: 'StoreError',
      message: expect.stringMatching(/^cannot list "workspace\/" of bucket "none": not found/),
    });
  });
});
