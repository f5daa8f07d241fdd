import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { layOutRevision } from '../../../src/authoring/eval/revision.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const PATH = process.env['PATH'] ?? '';

/** A repository with a project in a folder of it, whose agent was another one when it was committed. */
async function repository() {
  const top = await tempFolder({ 'part/agents/a.toml': 'before' });
  commitAll(top);
  await writeFile(join(top, 'part/agents/a.toml'), 'after');
  return join(top, 'part');
}

function commitAll(top: string): void {
  const git = (...words: string[]) => execFileSync('git', words, { cwd: top, stdio: 'ignore' });
  git('init', '--quiet');
  git('add', '.');
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '-m', 'one');
}

/** A folder of programs: git, and a tar of the test's own. */
async function programs(tar?: string) {
  const folder = await tempFolder();
  for (const name of ['git', 'sh'])
    await symlink(execFileSync('which', [name]).toString().trim(), join(folder, name));
  if (tar === undefined) return folder;
  await writeFile(join(folder, 'tar'), `#!/bin/sh\n${tar}\n`);
  await chmod(join(folder, 'tar'), 0o755);
  return folder;
}

test('a revision is laid out as it was, with the packages of now', async () => {
  const project = await repository();
  await mkdir(join(project, 'node_modules/x'), { recursive: true });
  const { folder, remove } = await layOutRevision(project, 'HEAD', PATH);
  expect(await readFile(join(folder, 'agents/a.toml'), 'utf8')).toBe('before');
  expect(await readFile(join(project, 'agents/a.toml'), 'utf8')).toBe('after');
  expect(readdirSync(folder).sort()).toEqual(['agents', 'node_modules']);
  expect(readdirSync(join(folder, 'node_modules'))).toEqual(['x']);
  expect(readdirSync(join(folder, '../..'))).toEqual(['tree']);
  await remove();
  expect(() => readdirSync(folder)).toThrow('ENOENT');
});

test('a revision that has packages of its own keeps them', async () => {
  const project = await tempFolder({ 'agents/a.toml': 'before', 'node_modules/x/index.js': 'before' });
  commitAll(project);
  await writeFile(join(project, 'node_modules/x/index.js'), 'after');
  const { folder, remove } = await layOutRevision(project, 'HEAD', PATH);
  expect(await readFile(join(folder, 'node_modules/x/index.js'), 'utf8')).toBe('before');
  await remove();
});

test('what cannot be laid out says why', async () => {
  const project = await repository();
  const none = await tempFolder();
  const why = (...given: Parameters<typeof layOutRevision>) => layOutRevision(...given).catch(String);
  expect(await why(none, 'HEAD', PATH)).toBe(
    `ConfigError: git:HEAD: ${none} is in no repository of git that can be read here`,
  );
  expect(await why(project, 'HEAD', await programs())).toBe(
    'ConfigError: git:HEAD: tar is not installed, which lays revisions out',
  );
  expect(await why(project, 'gone', PATH)).toBe('ConfigError: git:gone: there is no such revision');
  expect(await why(project, 'HEAD', await programs('exit 3'))).toMatch(
    /^ConfigError: git:HEAD cannot be laid out: Command failed: /,
  );
  vi.stubEnv('TMPDIR', join(none, 'gone'));
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await why(project, 'HEAD', PATH)).toContain(`no such file or directory, mkdtemp '${none}/gone/`);
});

test('a revision whose project is a link is not laid out, and nothing is written there', async () => {
  const elsewhere = await tempFolder({ 'agents/a.toml': 'of somebody else' });
  const top = await tempFolder({ part: { linkTo: elsewhere } });
  commitAll(top);
  const project = join(top, 'part');
  await rm(project);
  await mkdir(join(project, 'node_modules'), { recursive: true });
  expect(await layOutRevision(project, 'HEAD', PATH).catch(String)).toBe(
    `ConfigError: git:HEAD cannot be laid out: part is a link in it`,
  );
  expect(readdirSync(elsewhere)).toEqual(['agents']);
});
