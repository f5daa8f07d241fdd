import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tempFolder } from '../../fixtures/temp-folder.ts';

/** Without a user, where the tests themselves may do everything. */
const OTHER_USER = process.getuid?.() === 0 ? '65534' : '';

let bundles: string;
beforeAll(async () => {
  bundles = await mkdtemp(join(tmpdir(), 'cadre-test-'));
  await build({
    entryPoints: [join(import.meta.dirname, '../../fixtures/file-tools-process.ts')],
    outfile: join(bundles, 'process.mjs'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
  });
});
afterAll(() => rm(bundles, { recursive: true, force: true }));

/** @param limits shell commands that take something from the process */
async function say(
  folder: string,
  limits: string,
  user: string,
  calls: [string, object][],
): Promise<string[]> {
  const script = `${limits} exec "$0" "$@"`;
  const args = [
    '-c',
    script,
    process.execPath,
    join(bundles, 'process.mjs'),
    folder,
    user,
    JSON.stringify(calls),
  ];
  return new Promise((resolve) => {
    execFile('bash', args, (_, stdout) => {
      resolve(
        stdout
          .split('\n')
          .filter(Boolean)
          .map((line): string => JSON.parse(line)),
      );
    });
  });
}

const large = 'x'.repeat(30_000);

// A limit on the size of files fails a write in its middle, as a full disk does.
test('a disk that takes no more leaves a file as it was, and nothing beside it', async () => {
  const folder = await tempFolder({ a: 'old content' });
  expect(
    await say(folder, 'ulimit -f 8;', '', [
      ['read_file', { path: 'a' }],
      ['write_file', { path: 'a', content: large }],
      ['edit_file', { path: 'a', old_string: 'old', new_string: large }],
      ['write_file', { path: 'b', content: large }],
      ['write_file', { path: 'a', content: 'short' }],
    ]),
  ).toEqual([
    '1: old content',
    'Error: "a" cannot be used: it is larger than is allowed here',
    'Error: "a" cannot be used: it is larger than is allowed here',
    'Error: "b" cannot be used: it is larger than is allowed here',
    'replaced "a" (5 bytes)',
  ]);
  expect(await readdir(folder)).toEqual(['a']);
  expect(await readFile(join(folder, 'a'), 'utf8')).toBe('short');
});

test('a file that may not be written is not, and one that may not be read is not', async () => {
  const folder = await tempFolder({
    'open/a': 'old',
    'open/locked': 'old',
    'closed/a': 'old',
    hidden: 'secret',
    'private/a': 'old',
  });
  await Promise.all([
    chmod(folder, 0o755),
    chmod(join(folder, 'open'), 0o777),
    chmod(join(folder, 'open/a'), 0o666),
    chmod(join(folder, 'open/locked'), 0o444),
    chmod(join(folder, 'closed'), 0o555),
    chmod(join(folder, 'closed/a'), 0o666),
    chmod(join(folder, 'hidden'), 0),
    chmod(join(folder, 'private'), 0o700),
  ]);
  expect(
    await say(folder, '', OTHER_USER, [
      ['read_file', { path: 'open/locked' }],
      ['write_file', { path: 'open/locked', content: 'new' }],
      ['read_file', { path: 'closed/a' }],
      ['write_file', { path: 'closed/a', content: 'new' }],
      ['delete_file', { path: 'closed/a' }],
      ['write_file', { path: 'closed/b/c', content: 'new' }],
      ['read_file', { path: 'hidden' }],
      ['grep', { pattern: 'old|secret', files_only: 'true' }],
      ['list_directory', { depth: '2' }],
      ['list_directory', { path: 'private' }],
      ['read_file', { path: 'open/a' }],
      ['write_file', { path: 'open/a', content: 'new' }],
    ]),
  ).toEqual([
    '1: old',
    'Error: "open/locked" cannot be used: permission denied',
    '1: old',
    'Error: "closed/a" cannot be used: permission denied',
    'Error: "closed/a" cannot be used: permission denied',
    'Error: "closed/b/c" cannot be used: permission denied',
    'Error: "hidden" cannot be used: permission denied',
    'closed/a\nopen/a\nopen/locked',
    'closed/\nclosed/a (3 bytes)\nhidden (6 bytes)\nopen/\nopen/a (3 bytes)\nopen/locked (3 bytes)\nprivate/ (cannot be listed)',
    'Error: "private" cannot be used: permission denied',
    '1: old',
    'replaced "open/a" (3 bytes)',
  ]);
  expect(await readdir(join(folder, 'closed'))).toEqual(['a']);
  expect(await readdir(join(folder, 'open'))).toEqual(['a', 'locked']);
});
