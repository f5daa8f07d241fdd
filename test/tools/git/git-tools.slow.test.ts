import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, chmod, mkdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openFolderWorkspace } from '../../../src/places/local/workspace/folder-workspace.ts';
import { openStage, type Asked } from '../../fixtures/stage.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { workIn } from '../files/workbench.ts';

/** A repository with one commit. */
async function repository(
  entries: Parameters<typeof tempFolder>[0] = { 'a.txt': 'one\n', 'b/c.txt': 'c\n' },
) {
  const folder = await tempFolder(entries);
  const git = (...args: string[]) =>
    execFileSync('git', args, {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_AUTHOR_NAME: 'Ada',
        GIT_AUTHOR_EMAIL: 'ada@example.org',
        GIT_AUTHOR_DATE: '2026-01-02T03:04:05Z',
        GIT_COMMITTER_NAME: 'Ada',
        GIT_COMMITTER_EMAIL: 'ada@example.org',
        GIT_COMMITTER_DATE: '2026-01-02T03:04:05Z',
      },
    }).trim();
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-q', '-m', 'First');
  return { folder, git, ...workIn(openFolderWorkspace(folder)) };
}

const withoutIds = (text: string) => text.replace(/^index .*\n/gm, '');

const CHANGED = `diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -1 +1,2 @@
 one
+two
`;

describe('git_diff', () => {
  test('shows what is not staged, what is, and what has changed since a commit', async () => {
    const { folder, git, say } = await repository();
    expect(await say('git_diff', {})).toBe('(no changes)');
    await appendFile(join(folder, 'a.txt'), 'two\n');
    expect(withoutIds(await say('git_diff', {}))).toBe(CHANGED);
    expect(await say('git_diff', { path: 'b' })).toBe('(no changes)');
    expect(await say('git_diff', { staged: true })).toBe('(no changes)');
    git('add', '.');
    expect(await say('git_diff', {})).toBe('(no changes)');
    expect(withoutIds(await say('git_diff', { staged: 'true', path: 'a.txt' }))).toBe(CHANGED);
    git('commit', '-q', '-m', 'Second');
    for (const ref of ['HEAD~1', 'main~1..main', 'main^...HEAD', 'HEAD~1..']) {
      expect(withoutIds(await say('git_diff', { ref }))).toBe(CHANGED);
    }
  });

  test('shows a linked work tree, and a file that is gone', async () => {
    const { folder, git, say } = await repository();
    await rm(join(folder, 'b/c.txt'));
    expect(await say('git_diff', { path: 'b/c.txt' })).toContain('deleted file mode 100644');
    const other = join(await tempFolder(), 'other');
    git('worktree', 'add', '-q', '-b', 'side', other);
    await appendFile(join(other, 'a.txt'), 'two\n');
    const there = workIn(openFolderWorkspace(other));
    expect(withoutIds(await there.say('git_diff', {}))).toBe(CHANGED);
    expect(await there.say('git_log', {})).toContain('First');
  });

  test.each([
    '--output=x',
    '-O/bin/sh',
    '--no-index',
    'HEAD:a.txt',
    ':/First',
    'HEAD^{/First}',
    '@{1 day ago}',
    'HEAD --output=x',
    '..--output=x',
    'a..b..c',
    'x\ny',
    'nowhere',
    '0000000000000000000000000000000000000000',
  ])('takes no ref %j', async (ref) => {
    const { folder, git, say } = await repository();
    const before = git('status', '--porcelain');
    expect(await say('git_diff', { ref })).toMatch(
      /^Error: (argument "ref" must be a branch, a tag or a commit, not|there is no commit) "/,
    );
    expect(git('status', '--porcelain')).toBe(before);
    expect(existsSync(join(folder, 'x'))).toBe(false);
  });

  test('takes no blob or tree for a commit, and no path for a pattern, an option or a way out', async () => {
    const { git, say } = await repository();
    for (const object of ['HEAD:a.txt', 'HEAD:b'].map((name) => git('rev-parse', name))) {
      expect(await say('git_diff', { ref: object })).toBe(`Error: there is no commit "${object}"`);
    }
    for (const path of ['*', ':(top)a.txt', ':!a.txt', '--output=x', '-p']) {
      expect(await say('git_diff', { path })).toBe('(no changes)');
      expect(await say('git_log', { path })).toBe('(no commit changed it)');
    }
    expect(await say('git_diff', { path: '../x' })).toBe('Error: path "../x" is outside the workdir');
  });

  test('shows no file that rules keep from the model, whatever it is called', async () => {
    const names = ['.env', 'b/.env', ':(top).env', '*.env'];
    const { folder } = await repository(
      Object.fromEntries([...names, 'a.txt'].map((name) => [name, 'one\n'])),
    );
    for (const name of names) await writeFile(join(folder, name), 'SECRET\n');
    await writeFile(join(folder, 'a.txt'), 'two\n');
    const mayShow = (path: string) => !path.endsWith('.env');
    const text = await workIn(openFolderWorkspace(folder), { mayShow }).say('git_diff', {});
    expect(text).toContain('+two');
    expect(text).not.toContain('SECRET');
  });

  test('says that it is cut where it is too long', async () => {
    const { folder, say } = await repository();
    await writeFile(join(folder, 'a.txt'), 'a line of text\n'.repeat(200_000));
    const text = await say('git_diff', {});
    expect(text.length).toBeLessThan(1_100_000);
    expect(text).toMatch(/\(too long to be shown whole: name a path\)$/);
  });
});

describe('git_log', () => {
  test('lists commits, of a path if one is named', async () => {
    const { folder, git, say } = await repository();
    await appendFile(join(folder, 'a.txt'), 'two\n');
    git('commit', '-q', '-a', '-m', 'Add two\n\nAnd a body');
    const [newest, first] = git('log', '--format=%h').split('\n');
    const lines = [`${newest} 2026-01-02 Ada: Add two`, `${first} 2026-01-02 Ada: First`];
    expect(await say('git_log', {})).toBe(`${lines.join('\n')}\n`);
    expect(await say('git_log', { limit: 1 })).toBe(`${lines[0]}\n`);
    expect(await say('git_log', { path: 'b' })).toBe(`${lines[1]}\n`);
  });
});

describe('nothing that a repository says is run', () => {
  /** A program that leaves a file where it is run. */
  async function planted(folder: string) {
    const program = join(folder, '.git', 'planted');
    const proof = join(folder, '.git', 'proof');
    await writeFile(program, `#!/bin/sh\ntouch "${proof}"\ncat\n`);
    await chmod(program, 0o755);
    return { program, wasRun: () => existsSync(proof), forget: () => rm(proof, { force: true }) };
  }

  const SETTINGS: [string, ...string[]][] = [
    ['core.fsmonitor'],
    ['core.pager'],
    ['pager.diff'],
    ['diff.external'],
    ['diff.evil.command'],
    ['diff.evil.textconv'],
    ['filter.evil.clean'],
    ['filter.evil.process'],
    ['gpg.program', 'log.showSignature=true'],
    ['core.sshCommand', 'remote.o.url=ssh://x/y', 'remote.o.promisor=true', 'extensions.partialClone=o'],
    ['core.alternateRefsCommand'],
    ['alias.diff'],
  ];

  test.each(SETTINGS)('%s', async (name, ...more) => {
    const { folder, git, say } = await repository({
      'a.txt': 'one\n',
      '.gitattributes': '*.txt filter=evil diff=evil\n',
    });
    const { program, wasRun } = await planted(folder);
    git('config', name, name.startsWith('alias') ? `!${program}` : program);
    for (const each of more) git('config', ...each.split('='));
    await appendFile(join(folder, 'a.txt'), 'two\n');
    expect(withoutIds(await say('git_diff', {}))).toBe(CHANGED);
    expect(withoutIds(await say('git_diff', { ref: 'HEAD' }))).toBe(CHANGED);
    expect(await say('git_log', {})).toContain('First');
    expect(wasRun()).toBe(false);
  });

  test('the attack is one: git itself runs such a filter', async () => {
    const { folder, git } = await repository({ 'a.txt': 'one\n', '.gitattributes': '*.txt filter=evil\n' });
    const { program, wasRun } = await planted(folder);
    git('config', 'filter.evil.clean', program);
    await appendFile(join(folder, 'a.txt'), 'two\n');
    git('diff');
    expect(wasRun()).toBe(true);
  });

  test('a submodule', async () => {
    const { folder, git, say } = await repository();
    const inner = await repository();
    git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', inner.folder, 'sub');
    git('commit', '-q', '-m', 'Sub');
    const { program, wasRun, forget } = await planted(folder);
    git('-C', 'sub', 'config', 'core.fsmonitor', program);
    await appendFile(join(folder, 'sub/a.txt'), 'two\n');
    await appendFile(join(folder, 'a.txt'), 'two\n');
    await forget();
    expect(withoutIds(await say('git_diff', {}))).toBe(CHANGED);
    expect(wasRun()).toBe(false);
  });

  test('nor is its index written, or another work tree read', async () => {
    const { folder, git, say } = await repository();
    const other = await tempFolder({ 'a.txt': 'SECRET\n' });
    git('config', 'core.worktree', other);
    const index = await readFile(join(folder, '.git/index'));
    await writeFile(join(folder, 'a.txt'), 'one\n');
    // Git takes note of a file that is as it was, but newer.
    await utimes(join(folder, 'a.txt'), 1, 1);
    expect(await say('git_diff', {})).toBe('(no changes)');
    expect(await readFile(join(folder, '.git/index'))).toEqual(index);
  });
});

test('git is none that the project brings along, or an agent has written', async () => {
  const { folder } = await repository();
  const proof = join(folder, 'proof');
  for (const bin of ['bin', 'node_modules/.bin']) {
    await mkdir(join(folder, bin), { recursive: true });
    await writeFile(join(folder, bin, 'git'), `#!/bin/sh\ntouch "${proof}"\n`, { mode: 0o755 });
    const searchPath = `${join(folder, bin)}:${process.env['PATH']}`;
    for (const from of [folder, join(folder, 'b')]) {
      const { say } = workIn(openFolderWorkspace(from, { searchPath }));
      await say('git_log', {});
    }
    expect(await workIn(openFolderWorkspace(folder, { searchPath })).say('git_log', {})).toContain('First');
    expect(existsSync(proof)).toBe(false);
  }
});

describe('no repository is', () => {
  const NONE = 'Error: the working directory is not a git repository';

  test('a folder without one, or below one', async () => {
    const { folder } = await repository();
    expect(await workIn(openFolderWorkspace(join(folder, 'b'))).say('git_log', {})).toBe(NONE);
    expect(await workIn(openFolderWorkspace(await tempFolder())).say('git_diff', {})).toBe(NONE);
  });

  test('one whose parts are those of another', async () => {
    const other = await repository({ 'secret.txt': 'SECRET\n' });
    const theirs = join(other.folder, '.git');
    const isNone = async (folder: string) =>
      expect(await workIn(openFolderWorkspace(folder)).say('git_log', {})).toBe(NONE);
    await isNone(await tempFolder({ '.git': `gitdir: ${theirs}\n` }));
    await isNone(await tempFolder({ '.git': { linkTo: theirs } }));
    for (const part of ['objects', 'refs', 'objects/pack']) {
      const { folder } = await repository();
      await rename(join(folder, '.git', part), join(folder, '.git', 'before'));
      await symlink(join(theirs, part), join(folder, '.git', part));
      await isNone(folder);
    }
    const { folder } = await repository();
    await mkdir(join(folder, '.git/objects/info'), { recursive: true });
    await writeFile(join(folder, '.git/objects/info/alternates'), `${join(theirs, 'objects')}\n`);
    await isNone(folder);
  });

  test('one that names another, and is named by a file of its own', async () => {
    const other = await repository({ 'secret.txt': 'SECRET\n' });
    const { folder, say } = await repository();
    await rm(join(folder, '.git'), { recursive: true });
    await mkdir(join(folder, 'forged'));
    await writeFile(join(folder, '.git'), 'gitdir: forged\n');
    await writeFile(join(folder, 'forged/gitdir'), join(folder, '.git'));
    await writeFile(join(folder, 'forged/commondir'), join(other.folder, '.git'));
    await writeFile(join(folder, 'forged/HEAD'), 'ref: refs/heads/main\n');
    expect(await say('git_log', {})).toBe(NONE);
  });

  test('one in which a link leads to another, or to a device', async () => {
    const other = await repository({ 'secret.txt': 'SECRET\n' });
    const head = other.git('rev-parse', 'HEAD').slice(0, 2);
    const links = {
      'refs/heads/theirs': join(other.folder, '.git/refs/heads/main'),
      'refs/heads/endless': '/dev/zero',
      [`objects/${head}`]: join(other.folder, '.git/objects', head),
      index: join(other.folder, '.git/index'),
    };
    for (const [path, target] of Object.entries(links)) {
      const { folder, say } = await repository();
      await rm(join(folder, '.git', path), { recursive: true, force: true });
      await symlink(target, join(folder, '.git', path));
      expect(await say('git_log', {})).toMatch(/^Error: ".git" cannot be used: \S+ is no regular file$/);
      expect(await say('git_diff', { ref: 'theirs' })).toBe('Error: there is no commit "theirs"');
    }
  });

  test('one whose refs are pipes: nothing waits for them', async () => {
    const { folder, say } = await repository();
    execFileSync('mkfifo', [join(folder, '.git/refs/heads/pipe')]);
    expect(await say('git_diff', { ref: 'pipe' })).toBe('Error: there is no commit "pipe"');
  });

  test('one whose head is a pipe: nothing waits for it', async () => {
    const { folder, say } = await repository();
    await rm(join(folder, '.git/HEAD'));
    execFileSync('mkfifo', [join(folder, '.git/HEAD')]);
    expect(await say('git_log', {})).toMatch(/HEAD: it is not a regular file$/);
  });
});

describe('an agent is offered them', () => {
  const names = ({ request }: Asked) => request.tools.map(({ name }) => name).join(' ');

  test('with files:read and files, where its workdir is a repository', async () => {
    const { folder } = await repository();
    const stage = await openStage(
      { top: names, there: names },
      { top: 'tools = ["files:read"]\n', there: `tools = ["files"]\nworkdir = "${folder}"\n` },
    );
    expect((await stage.run()).out).toBe('glob grep list_directory read_file');
    expect((await stage.run({ agent: 'there' })).out).toBe(
      'delete_file edit_file git_diff git_log glob grep list_directory read_file write_file',
    );
  });

  test('but for the name of a function of its own, which is older', async () => {
    const { folder } = await repository();
    const mine = '[[functions]]\nname = "git_log"\ndescription = "Mine"\nfunction = "logs"\n';
    const stage = await openStage(
      {
        top: ({ request }: Asked) =>
          request.tools.map(({ description }) => description.slice(0, 12)).join('|'),
      },
      { top: `tools = ["git_log", "git_diff"]\nworkdir = "${folder}"\n${mine}` },
    );
    expect((await stage.run()).out).toBe('Show changes|Mine');
  });
});
