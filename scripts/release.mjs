// Makes the commit and the tag of a release: npm run release 0.2.0
// With --no-tag it makes the commit alone, for a branch that others look at; called again once that is merged, it makes the
// tag. Pushing the tag publishes it (.github/workflows/release.yml). Nothing is changed unless everything is in order.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cut, notesOf } from './changelog.mjs';

const VERSION = /^(\d+)\.(\d+)\.(\d+)$/;

const args = process.argv.slice(2);
const [version = ''] = args.filter((arg) => arg !== '--no-tag');
const changelog = readFileSync('CHANGELOG.md', 'utf8');
/** Whether an earlier call has made the commit. */
const isCut = notesOf(changelog, version) !== '';
const fault = faultIn(version);
if (fault === undefined) {
  if (!isCut) commit(version);
  if (args.includes('--no-tag')) console.log(`committed; npm run release ${version} tags it`);
  else tag(version);
} else {
  console.error(fault);
  process.exitCode = 1;
}

/** Why this version cannot be released now, if it cannot. */
function faultIn(version) {
  if (!VERSION.test(version)) return `"${version}" is no version such as 0.2.0: npm run release <version>`;
  const changed = git('status', '--porcelain');
  if (changed !== '') return `there are changes that are not committed:\n${changed}`;
  if (git('tag', '--list', `v${version}`) !== '')
    return `the tag v${version} exists: choose a higher version`;
  const { version: current } = JSON.parse(readFileSync('package.json', 'utf8'));
  const news = notesOf(changelog, 'Unreleased');
  if (isCut && news !== '')
    return `CHANGELOG.md has ${version}, and more under "## Unreleased": release a higher version`;
  if (isCut && version === current) return undefined;
  // The first release has the version that the manifest has had all along.
  const isFirst = git('tag', '--list', 'v*') === '';
  if (compare(version, current) < 0 || (!isFirst && version === current))
    return `${version} is not higher than ${current}`;
  if (news === '') return 'CHANGELOG.md has nothing under "## Unreleased": say what users will notice';
  return undefined;
}

function commit(version) {
  const today = new Date().toISOString().slice(0, 10);
  run('npm', ['version', version, '--no-git-tag-version', '--allow-same-version', '--ignore-scripts']);
  writeFileSync('CHANGELOG.md', cut(changelog, version, today));
  // The OpenAPI document names the version, and later releases read what this one keeps.
  run('npm', ['run', '--if-present', 'generate']);
  if (!existsSync(`test/fixtures/stores/${version}`)) run('npm', ['run', '--if-present', 'fixture-store']);
  git('add', '--all');
  git('commit', '--quiet', '--message', `Release ${version}`);
}

function tag(version) {
  git('tag', '--annotate', `v${version}`, '--message', `Release ${version}`);
  console.log(`committed and tagged; git push --follow-tags publishes it`);
}

/** Less than 0 if the first version is lower. */
function compare(one, other) {
  const [ones, others] = [one, other].map((text) => (VERSION.exec(text) ?? []).slice(1).map(Number));
  return ones.map((part, index) => part - others[index]).find((difference) => difference !== 0) ?? 0;
}

function git(...args) {
  return run('git', args).trim();
}

/** What a program prints. The release ends where it fails. */
function run(program, args) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (error) throw error;
  if (status !== 0) {
    console.error(`${program} ${args.join(' ')} failed:\n${stderr}`);
    process.exit(1);
  }
  return stdout;
}
