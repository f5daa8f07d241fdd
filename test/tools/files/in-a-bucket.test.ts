import { afterAll, beforeAll, expect, test } from 'vitest';
import { openS3Workspace } from '../../../src/places/aws/s3-workspace.ts';
import { checksumOf, s3Client, startS3Server, type S3Server } from '../../fixtures/s3-server.ts';
import { workIn } from './workbench.ts';

let server: S3Server;
beforeAll(async () => {
  server = await startS3Server('bucket');
});
afterAll(() => server.close());

const FILES = {
  '.gitignore': 'dist/\n',
  'a.txt': 'one\ntwo\n',
  'src/b.ts': 'const two = 2;',
  'dist/c.ts': 'const two = 2;',
  '.cadre-results/d.txt': 'two',
};

/** The calls of two runs in the same prefix of a bucket. */
function work() {
  for (const [path, text] of Object.entries(FILES)) {
    const bytes = Buffer.from(text);
    const modified = new Date(path === 'src/b.ts' ? 2_000 : 1_000);
    server.objects.set(`workspace/${path}`, {
      bytes,
      contentType: '',
      checksum: checksumOf(bytes),
      modified,
    });
  }
  const workspace = openS3Workspace({
    client: s3Client(server.endpoint, { maxAttempts: 1 }),
    bucket: 'bucket',
    prefix: 'workspace/',
  });
  return [workIn(workspace), workIn(workspace)] as const;
}

const textOf = (path: string) => server.objects.get(`workspace/${path}`)?.bytes.toString();

test('files of a bucket are read, found and searched like others', async () => {
  const [{ say }] = work();
  expect(await say('read_file', { path: 'a.txt', offset: 2 })).toBe('2: two\n(lines 2 to 2 of 2: the end)');
  expect(await say('list_directory', { depth: 2 })).toBe(
    '.gitignore (6 bytes)\na.txt (8 bytes)\ndist/\ndist/c.ts (14 bytes)\nsrc/\nsrc/b.ts (14 bytes)',
  );
  expect(await say('glob', { pattern: '**' })).toBe('src/b.ts\n.gitignore\na.txt');
  expect(await say('grep', { pattern: 'two' })).toBe('a.txt:2: two\nsrc/b.ts:1: const two = 2;');
  expect(await say('grep', { pattern: 'two', path: 'dist' })).toBe('dist/c.ts:1: const two = 2;');
  expect(await say('read_file', { path: 'none' })).toBe('Error: there is no file or folder "none"');
  expect(await say('read_file', { path: '../runs/x' })).toBe(
    'Error: path "../runs/x" is outside the workdir',
  );
});

test('files of a bucket are changed only as they were read', async () => {
  const [one, other] = work();
  await one.say('read_file', { path: 'a.txt' });
  await other.say('read_file', { path: 'a.txt' });
  const edit = { path: 'a.txt', old_string: 'two', new_string: '2' };
  expect(await one.say('edit_file', edit)).toBe('edited "a.txt" in line 2');
  const stale = 'Error: "a.txt" has changed since it was read in this run: read it again with read_file';
  expect(await other.say('edit_file', edit)).toBe(stale);
  expect(await other.say('write_file', { path: 'a.txt', content: 'lost' })).toBe(stale);
  expect(await other.say('delete_file', { path: 'a.txt' })).toBe(stale);
  expect(textOf('a.txt')).toBe('one\n2\n');
  expect(await one.say('write_file', { path: 'new/e.txt', content: 'x' })).toBe(
    'created "new/e.txt" (1 bytes)',
  );
  expect(await other.say('write_file', { path: 'new/e.txt', content: 'y' })).toBe(
    'Error: "new/e.txt" exists and was not read in this run: read it with read_file first',
  );
  expect(await one.say('delete_file', { path: 'a.txt' })).toBe('deleted "a.txt"');
  expect(textOf('a.txt')).toBeUndefined();
});
