import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resolveFiles } from '../../src/agent/context-files.ts';
import type { Workspace } from '../../src/agent/workspace.ts';
import { openS3Workspace } from '../../src/workspace/s3-workspace.ts';
import { s3Client, startS3Server, type S3Server } from '../fixtures/s3-server.ts';

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

async function pathsOf(workspace: Workspace): Promise<string[]> {
  const paths: string[] = [];
  for await (const path of workspace.list(() => true)) paths.push(path);
  return paths;
}

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
    const bytes = await open('workspace/docs/').read('a.md', 3);
    expect(Buffer.from(bytes ?? []).toString()).toBe('the');
  });

  test('has no file where there is none', async () => {
    expect(await open('workspace/docs/').read('../../runs/none.md', 3)).toBeUndefined();
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
