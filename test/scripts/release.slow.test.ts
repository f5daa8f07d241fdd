import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../fixtures/temp-folder.ts';

const scripts = join(import.meta.dirname, '../../scripts');
const CHANGELOG = '# Changelog\n\n## Unreleased\n\n- More.\n\n## 0.0.9 (2026-01-02)\n\n- First.\n';

async function project(changelog = CHANGELOG): Promise<string> {
  const manifest = { name: 'p', version: '0.1.0' };
  const folder = await tempFolder({
    'package.json': JSON.stringify(manifest),
    'package-lock.json': JSON.stringify({ ...manifest, lockfileVersion: 3, packages: { '': manifest } }),
    'CHANGELOG.md': changelog,
  });
  git(folder, 'init', '--quiet');
  git(folder, 'config', 'user.name', 'Releaser');
  git(folder, 'config', 'user.email', 'releaser@example.com');
  git(folder, 'add', '.');
  git(folder, 'commit', '--quiet', '--message', 'Begin');
  return folder;
}

function git(folder: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
}

function run(folder: string, script: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(scripts, script), ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

test('a release is a commit and a tag with the version and the part of the changelog', async () => {
  const folder = await project();
  git(folder, 'tag', 'v0.1.0');
  expect(run(folder, 'release.mjs', '0.2.0')).toEqual({
    status: 0,
    stdout: 'committed and tagged; git push --follow-tags publishes it\n',
    stderr: '',
  });
  const today = git(folder, 'log', '-1', '--format=%cs');
  expect(readFileSync(join(folder, 'CHANGELOG.md'), 'utf8')).toBe(
    `# Changelog\n\n## Unreleased\n\n## 0.2.0 (${today})\n\n- More.\n\n## 0.0.9 (2026-01-02)\n\n- First.\n`,
  );
  const versions = ['package.json', 'package-lock.json'].map(
    (file) => JSON.parse(readFileSync(join(folder, file), 'utf8')).version,
  );
  expect(versions).toEqual(['0.2.0', '0.2.0']);
  expect(git(folder, 'log', '-1', '--format=%s')).toBe('Release 0.2.0');
  expect(git(folder, 'describe', '--exact-match')).toBe('v0.2.0');
  expect(git(folder, 'status', '--porcelain')).toBe('');
  expect(run(folder, 'release-notes.mjs', '0.2.0').stdout).toBe('- More.\n');
});

test('a release can be looked at before it is tagged', async () => {
  const folder = await project();
  expect(run(folder, 'release.mjs', '0.2.0', '--no-tag')).toEqual({
    status: 0,
    stdout: 'committed; npm run release 0.2.0 tags it\n',
    stderr: '',
  });
  expect(git(folder, 'tag')).toBe('');
  const head = git(folder, 'rev-parse', 'HEAD');
  expect(run(folder, 'release.mjs', '0.2.0').status).toBe(0);
  expect([git(folder, 'rev-parse', 'HEAD'), git(folder, 'tag')]).toEqual([head, 'v0.2.0']);
});

test('what is added to a release that was looked at is another one', async () => {
  const folder = await project();
  run(folder, 'release.mjs', '0.2.0', '--no-tag');
  const changelog = readFileSync(join(folder, 'CHANGELOG.md'), 'utf8');
  await writeFile(join(folder, 'CHANGELOG.md'), changelog.replace('Unreleased\n', 'Unreleased\n\n- Late.\n'));
  git(folder, 'commit', '--all', '--quiet', '--message', 'Add');
  expect(run(folder, 'release.mjs', '0.2.0')).toEqual({
    status: 1,
    stdout: '',
    stderr: 'CHANGELOG.md has 0.2.0, and more under "## Unreleased": release a higher version\n',
  });
});

test('what is generated with the version is generated anew', async () => {
  const folder = await project();
  const manifest = {
    name: 'p',
    version: '0.1.0',
    scripts: { generate: `node -e "fs.writeFileSync('v', process.env.npm_package_version)"` },
  };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  git(folder, 'commit', '--all', '--quiet', '--message', 'Generate');
  expect(run(folder, 'release.mjs', '0.2.0').status).toBe(0);
  expect(git(folder, 'show', 'HEAD:v')).toBe('0.2.0');
});

test('the first release may have the version that the manifest has', async () => {
  const folder = await project();
  expect(run(folder, 'release.mjs', '0.1.0').status).toBe(0);
  expect(git(folder, 'describe', '--exact-match')).toBe('v0.1.0');
});

test.each([
  ['v0.2', '"v0.2" is no version such as 0.2.0: npm run release <version>\n'],
  ['0.1.0', 'the tag v0.1.0 exists: choose a higher version\n'],
  ['0.0.8', '0.0.8 is not higher than 0.1.0\n'],
])('%s is refused', async (version, stderr) => {
  const folder = await project();
  git(folder, 'tag', 'v0.1.0');
  expect(run(folder, 'release.mjs', version)).toEqual({ status: 1, stdout: '', stderr });
});

test('nothing is released from a tree with changes, or without a word about what changed', async () => {
  const folder = await project();
  await writeFile(join(folder, 'new.txt'), '');
  expect(run(folder, 'release.mjs', '0.2.0')).toEqual({
    status: 1,
    stdout: '',
    stderr: 'there are changes that are not committed:\n?? new.txt\n',
  });
  const silent = await project('# Changelog\n\n## Unreleased\n');
  expect(run(silent, 'release.mjs', '0.2.0')).toEqual({
    status: 1,
    stdout: '',
    stderr: 'CHANGELOG.md has nothing under "## Unreleased": say what users will notice\n',
  });
  expect(run(folder, 'release-notes.mjs', '9.9.9')).toEqual({
    status: 1,
    stdout: '',
    stderr: 'CHANGELOG.md says nothing about 9.9.9\n',
  });
});
