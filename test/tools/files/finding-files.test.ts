import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { emptyFolder } from '../../fixtures/temp-folder.ts';
import { workIn, workInFolder } from './workbench.ts';

type Entries = Parameters<typeof workInFolder>[0];

describe('list_directory', () => {
  const tree = {
    'b.txt': '12345',
    'a/one': '',
    'a/b/two': '1',
    '.git/config': '',
    '.cadre/store': '',
    '.cadre-results/r.txt': 'kept',
    '.cadre-0b8f3c52-8a55-4b1e-9a0c-0d6c7a3a5a11': 'half a fi',
    'node_modules/m/index.js': '',
    empty: emptyFolder,
    out: { linkTo: '..' },
    in: { linkTo: 'a' },
  };

  test('lists a folder by name, with sizes', async () => {
    const { say } = await workInFolder(tree);
    expect(await say('list_directory', {})).toBe(
      'a/\nb.txt (5 bytes)\nempty/\nin/\nnode_modules/\nout (neither a file nor a folder here)',
    );
    expect(await say('list_directory', { path: 'a' })).toBe('b/\none (0 bytes)');
    expect(await say('list_directory', { path: 'empty' })).toBe('(the folder is empty)');
  });

  test('lists what is in folders as deep as it is asked to, but for packages and links', async () => {
    const { say } = await workInFolder({ ...tree, in: { linkTo: '.' } });
    expect(await say('list_directory', { depth: '3' })).toBe(
      [
        'a/',
        'a/b/',
        'a/b/two (1 bytes)',
        'a/one (0 bytes)',
        'b.txt (5 bytes)',
        'empty/',
        'in/',
        'node_modules/',
        'out (neither a file nor a folder here)',
      ].join('\n'),
    );
    expect(await say('list_directory', { path: 'node_modules', depth: 2 })).toBe('m/\nm/index.js (0 bytes)');
  });

  test('lists what is kept for Cadre and git where it is named', async () => {
    const { say } = await workInFolder(tree);
    expect(await say('list_directory', { path: '.cadre-results' })).toBe('r.txt (4 bytes)');
    expect(await say('list_directory', { path: '.git' })).toBe('config (0 bytes)');
  });

  test('lists no file, and nothing that is not there or outside', async () => {
    const { say } = await workInFolder(tree);
    expect(await say('list_directory', { path: 'b.txt' })).toBe('Error: "b.txt" is not a folder');
    expect(await say('list_directory', { path: 'none' })).toBe('Error: there is no file or folder "none"');
    expect(await say('list_directory', { path: 'out' })).toBe('Error: path "out" is outside the workdir');
  });
});

test('of a folder with more, 1,000 entries are listed and the 1,000 newest files found', async () => {
  const { say, folder } = await workInFolder();
  for (let index = 0; index < 1_001; index++) writeFileSync(join(folder, `${index}`), '');
  const ends = (text: string) => [text.split('\n').length, text.split('\n').at(-1)];
  expect(ends(await say('list_directory', { depth: 2 }))).toEqual([
    1_001,
    '(only the first 1000 entries: list a folder of it)',
  ]);
  expect(ends(await say('glob', { pattern: '*' }))).toEqual([1_001, '(the 1000 newest of 1001)']);
});

describe('glob', () => {
  test('finds files, the newest first', async () => {
    const { say, folder } = await workInFolder({
      'a.ts': '',
      'src/b.ts': '',
      'src/x/c.ts': '',
      'src/d.js': '',
    });
    const touch = (path: string, time: number) => utimes(join(folder, path), time, time);
    await Promise.all([touch('a.ts', 2), touch('src/b.ts', 3), touch('src/x/c.ts', 1)]);
    expect(await say('glob', { pattern: '**/*.ts' })).toBe('src/b.ts\na.ts\nsrc/x/c.ts');
    expect(await say('glob', { pattern: '*.ts' })).toBe('a.ts');
    expect(await say('glob', { pattern: 'src/*.{js,ts}' })).toBe('src/d.js\nsrc/b.ts');
    expect(await say('glob', { pattern: '**/*.ts', path: 'src' })).toBe('src/b.ts\nsrc/x/c.ts');
    expect(await say('glob', { pattern: '*.ts', path: 'src' })).toBe('src/b.ts');
    expect(await say('glob', { pattern: 'x/*.ts', path: 'src' })).toBe('src/x/c.ts');
    expect(await say('glob', { pattern: '*.md' })).toBe('(no file matches)');
  });

  test.each([
    ['../*', 'Error: pattern "../*" must lead down from path, without "/" at its start or ".."'],
    ['a/../../*', 'Error: pattern "a/../../*" must lead down from path, without "/" at its start or ".."'],
    ['/etc/*', 'Error: pattern "/etc/*" must lead down from path, without "/" at its start or ".."'],
    [
      'a[',
      'Error: invalid glob pattern "a[": missing closing: "]" - use "\\\\]" to match literal characters',
    ],
    ['a/*b*c*d*e*', 'Error: invalid glob pattern "a/*b*c*d*e*": more than 4 "*" in one part'],
  ])('refuses the pattern %s', async (pattern, text) => {
    const { say } = await workInFolder();
    expect(await say('glob', { pattern })).toBe(text);
  });
});

describe('what git ignores', () => {
  const found = async (entries: Entries, args: Record<string, string> = {}) => {
    const { say } = await workInFolder(entries);
    const paths = (await say('glob', { pattern: '**', ...args })).split('\n').sort();
    const searched = (await say('grep', { pattern: '', files_only: 'true', path: args['path'] })).split('\n');
    return { paths, searched };
  };
  const both = (paths: string[]) => ({ paths, searched: paths });

  test('is left out, and what a rule takes in again is not', async () => {
    expect(
      await found({
        '.gitignore': '# notes\n*.log\n!keep.log\n/top\nbuild/\ndocs/**/draft\nno[de]\n\\#x\n',
        'a.log': 'a',
        'keep.log': 'a',
        top: 'a',
        'sub/top': 'a',
        'sub/a.log': 'a',
        'build/a': 'a',
        'sub/build/a': 'a',
        'docs/x/draft': 'a',
        'docs/draft2': 'a',
        nod: 'a',
        '#x': 'a',
        '.env': 'a',
      }),
    ).toEqual(both(['.env', '.gitignore', 'docs/draft2', 'keep.log', 'sub/top']));
  });

  test('is what the nearest rules say, but never below a folder that is left out', async () => {
    expect(
      await found({
        '.gitignore': '*.txt\nout/\n',
        'a.txt': 'a',
        'sub/.gitignore': '!*.txt\n/local\n',
        'sub/a.txt': 'a',
        'sub/local': 'a',
        'sub/deep/.gitignore': '*\n!b.txt\n',
        'sub/deep/a.txt': 'a',
        'sub/deep/b.txt': 'a',
        'out/.gitignore': '!*\n',
        'out/a': 'a',
      }),
    ).toEqual(both(['.gitignore', 'sub/.gitignore', 'sub/a.txt', 'sub/deep/b.txt']));
  });

  test('holds below a folder that is searched, and does not where it is the folder itself', async () => {
    const entries = {
      '.gitignore': '*.log\ndist/\n',
      'src/a': 'a',
      'src/b.log': 'a',
      'dist/c': 'a',
      'dist/d.log': 'a',
    };
    expect(await found(entries, { path: 'src' })).toEqual(both(['src/a']));
    expect(await found(entries, { path: 'dist' })).toEqual(both(['dist/c', 'dist/d.log']));
  });

  test('is no folder that is searched, also where it leaves out itself, as virtual environments and caches do', async () => {
    const entries = { '.venv/.gitignore': '# made by a program\n\n*\n', '.venv/lib/a': 'a', b: 'a' };
    expect(await found(entries)).toEqual(both(['b']));
    expect(await found(entries, { path: '.venv' })).toEqual(both(['.venv/.gitignore', '.venv/lib/a']));
    expect(await found({ '.gitignore': '*', a: 'a' })).toEqual(both(['.gitignore', 'a']));
  });

  test('does not concern git itself and what Cadre keeps, which are left out unless they are named', async () => {
    const entries = {
      'a/.git/config': 'a',
      '.cadre/x': 'a',
      '.cadre-results/r.txt': 'a',
      b: 'a',
      '.gitx': 'a',
    };
    expect(await found(entries)).toEqual(both(['.gitx', 'b']));
    expect(await found(entries, { path: '.cadre-results' })).toEqual(both(['.cadre-results/r.txt']));
    const { say } = await workInFolder(entries);
    expect(await say('glob', { pattern: '.cadre-results/*' })).toBe('.cadre-results/r.txt');
    expect(await say('grep', { pattern: 'a', glob: '**/.git/**' })).toBe('a/.git/config:1: a');
  });

  test('is decided quickly for any pattern of a stranger', async () => {
    const rule = `${'*a'.repeat(50)}b`;
    const { say } = await workInFolder({
      '.gitignore': `${rule}\n*.log\n`,
      ['a'.repeat(200)]: '',
      'x.log': '',
    });
    expect(await say('glob', { pattern: 'a*' })).toBe('a'.repeat(200));
    expect(await say('glob', { pattern: '*.log' })).toBe('(no file matches)');
  });

  test('agrees with git', async () => {
    const entries = {
      '.gitignore': 'a\n!b/a\n/c/*\n!/c/keep\nd/\n*.o\n!/x.o\nf/**/g\n**/h\ni j\n',
      a: '',
      'b/a': '',
      'b/c/a': '',
      'c/x': '',
      'c/keep': '',
      'c/deep/x': '',
      'e/d/x': '',
      d: '',
      'x.o': '',
      'y/x.o': '',
      'f/g': '',
      'f/1/2/g': '',
      'y/h/z': '',
      'i j': '',
      'y/.gitignore': '!x.o\nz\n',
      'y/z': '',
      'y/é z': '',
    };
    const { say, folder } = await workInFolder(entries);
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'core.quotePath=false', ...args], { cwd: folder, encoding: 'utf8' });
    git('init', '--quiet');
    const tracked = git('ls-files', '--others', '--exclude-standard').trim().split('\n').sort();
    expect((await say('glob', { pattern: '**' })).split('\n').sort()).toEqual(tracked);
  });
});

test('stops among many files', async () => {
  const { workspace: folder } = await workInFolder();
  const stop = new AbortController();
  const workspace = {
    ...folder,
    async *list() {
      setImmediate(() => stop.abort(new Error('stopped')));
      for (let file = 0; file < 3_000; file++)
        yield { path: `${file}`, isLink: false, stat: () => expect.fail(), read: () => expect.fail() };
    },
  };
  const { call } = workIn(workspace, { signal: stop.signal });
  await expect(call('glob', { pattern: 'none' })).rejects.toThrow('stopped');
});
