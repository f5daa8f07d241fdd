import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { findPaths, resolveFiles } from '../../../src/core/agent-schema/context-files.ts';
import type { ReadableFiles } from '../../../src/core/agent-schema/workspace.ts';
import { ConfigError } from '../../../src/errors.ts';
import { openFolderWorkspace } from '../../../src/places/local/workspace/folder-workspace.ts';
import { emptyFolder, tempFolder } from '../../fixtures/temp-folder.ts';

type Entries = Parameters<typeof tempFolder>[0];

/** The paths that these patterns find in a workdir with these entries. */
async function find(patterns: string[], entries: Entries): Promise<string[]> {
  const workdir = await tempFolder(entries);
  return (await resolveFiles(patterns, openFolderWorkspace(workdir))).map(({ path }) => path);
}

/** A workspace of so many files, `0`, `1` and on. */
function workspaceOf(count: number, read: ReadableFiles['read'] = nothingIsRead): ReadableFiles {
  return {
    async *list() {
      for (let index = 0; index < count; index++)
        yield { path: `${index}`, isLink: false, stat: async () => undefined, read: nothingIsRead };
    },
    read,
  };
}

const nothingIsRead = () => Promise.reject(new Error('nothing is read'));

describe('patterns', () => {
  const tree = {
    'a.md': '',
    'b.ts': '',
    'docs/a.md': '',
    'docs/deep/er/a.md': '',
    'docs/deep/b.md': '',
    'src/a.ts': '',
    'src/b.js': '',
    'a(1).md': '',
    'app/(group)/page.tsx': '',
    'app/[slug]/page.tsx': '',
    'spaces in/näme.md': '',
    '!x.md': '',
    'x|y+@(z).md': '',
  };

  it.each([
    [['a.md'], ['a.md']],
    [['./docs/../a.md'], ['a.md']],
    [['*.md'], ['!x.md', 'a(1).md', 'a.md', 'x|y+@(z).md']],
    [['*/*.md'], ['docs/a.md', 'spaces in/näme.md']],
    [['docs/**'], ['docs/a.md', 'docs/deep/b.md', 'docs/deep/er/a.md']],
    [['docs/**/a.md'], ['docs/a.md', 'docs/deep/er/a.md']],
    [['**/a.md'], ['a.md', 'docs/a.md', 'docs/deep/er/a.md']],
    [['docs/**/*/a.md'], ['docs/deep/er/a.md']],
    [['{docs/deep,src}/*.{md,ts}'], ['docs/deep/b.md', 'src/a.ts']],
    [
      ['src/[ac].ts', 'src/?.js'],
      ['src/a.ts', 'src/b.js'],
    ],
    [['spaces in/*'], ['spaces in/näme.md']],
    [
      ['a(1).md', 'app/(group)/*'],
      ['a(1).md', 'app/(group)/page.tsx'],
    ],
    [['app/\\[slug\\]/*'], ['app/[slug]/page.tsx']],
    [['!x.md'], ['!x.md']],
    [['x|y+@(z).md'], ['x|y+@(z).md']],
    [
      ['a.md', 'a.md', '*.md', '**/a.md'],
      ['!x.md', 'a(1).md', 'a.md', 'docs/a.md', 'docs/deep/er/a.md', 'x|y+@(z).md'],
    ],
    [['none.md', 'none/**', 'docs', 'docs/', '**/'], []],
    [[], []],
  ])('%j find %j', async (patterns, paths) => {
    expect(await find(patterns, tree)).toEqual(paths);
  });

  it('reach dot files, dot folders and node_modules only by name', async () => {
    const hidden = {
      '.env': '',
      '.git/config': '',
      '.github/workflows/ci.yml': '',
      'a/.env': '',
      'a/.github/x.yml': '',
      'a/b.txt': '',
      'a/node_modules/m/index.js': '',
      'node_modules/m/index.js': '',
    };
    expect(await find(['**', '**/*', '*', '*/*'], hidden)).toEqual(['a/b.txt']);
    expect(await find(['.env', '**/.github/**'], hidden)).toEqual([
      '.env',
      '.github/workflows/ci.yml',
      'a/.github/x.yml',
    ]);
    expect(await find(['node_modules/**', '.git/*'], hidden)).toEqual([
      '.git/config',
      'node_modules/m/index.js',
    ]);
    expect(await find(['**/node_modules/**/*.js'], hidden)).toEqual([
      'a/node_modules/m/index.js',
      'node_modules/m/index.js',
    ]);
  });

  it.each([
    ['', 'it is empty'],
    [' ', 'it is empty'],
    ['a[', 'missing closing: "]" - use "\\\\]" to match literal characters'],
    ['src/{a,b', 'missing closing: "}" - use "\\\\}" to match literal characters'],
    ['*'.repeat(65_537), 'input length: 65537, exceeds maximum allowed length: 65536'],
  ])('that are bad are named (%#)', async (pattern, reason) => {
    await expect(find(['a.md', pattern], tree)).rejects.toThrow(
      new ConfigError(`invalid glob pattern "${pattern}": ${reason}`),
    );
  });
});

describe('files', () => {
  it('come with their path and text, sorted by path', async () => {
    const workdir = await tempFolder({
      'b/c.txt': 'three\n',
      'b.txt': 'two',
      'a.txt': '\uFEFFone',
      B: 'zero',
    });
    expect(await resolveFiles(['**'], openFolderWorkspace(workdir))).toEqual([
      { path: 'B', text: 'zero' },
      { path: 'a.txt', text: 'one' },
      { path: 'b.txt', text: 'two' },
      { path: 'b/c.txt', text: 'three\n' },
    ]);
  });

  it('are left out if they are binary, folders, or cannot be read', async () => {
    const workdir = await tempFolder({
      'folder.txt': emptyFolder,
      'binary.txt': 'a'.repeat(511) + '\0',
      'late.txt': 'a'.repeat(512) + '\0',
      'dangling.txt': { linkTo: 'nowhere' },
      'loop.txt': { linkTo: 'loop.txt' },
      'device.txt': { linkTo: '/dev/zero' },
    });
    execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', `${workdir}/pipe.txt`]);
    const files = await resolveFiles(['*.txt', 'pipe.txt'], openFolderWorkspace(workdir));
    expect(files.map(({ path }) => path)).toEqual(['late.txt']);
  });

  it('never come from outside the workdir', async () => {
    const root = await tempFolder({
      'secret/key.txt': 'secret',
      'secret.txt': 'secret',
      'work/in.txt': 'in',
      'work/inside/x.txt': 'in',
      'work/link-file.txt': { linkTo: '../secret.txt' },
      'work/link-folder': { linkTo: '../secret' },
      'work/link-up': { linkTo: '..' },
      'work/link-root': { linkTo: '/' },
      'work/chain.txt': { linkTo: 'link-file.txt' },
      'work/link-inside.txt': { linkTo: 'in.txt' },
      'work/way-round.txt': { linkTo: '../work/in.txt' },
      'work-sibling/x.txt': 'secret',
    });
    const patterns = [
      '**',
      '**/*.txt',
      '../**',
      '../secret.txt',
      'inside/../../secret.txt',
      'link-folder/key.txt',
      'link-up/secret.txt',
      'link-up/work-sibling/*',
      'link-root/etc/passwd',
      '/etc/passwd',
      `${root}/secret.txt`,
      `${root}/**`,
      '{..,.}/secret.txt',
      '[.][.]/secret.txt',
      '..\\/secret.txt',
    ];
    const files = await resolveFiles(patterns, openFolderWorkspace(`${root}/work`));
    expect(files).toEqual([
      { path: 'in.txt', text: 'in' },
      { path: 'inside/x.txt', text: 'in' },
      { path: 'link-inside.txt', text: 'in' },
      { path: 'way-round.txt', text: 'in' },
    ]);
  });

  it('are found through a link to a folder where the pattern names it, and loops end', async () => {
    const tree = {
      'releases/3/x.txt': '',
      current: { linkTo: 'releases/3' },
      'releases/3/loop': { linkTo: '../..' },
    };
    expect(await find(['**/*.txt'], tree)).toEqual(['releases/3/x.txt']);
    expect(await find(['curr*/*.txt'], tree)).toEqual([]);
    expect(await find(['current/**'], tree)).toEqual(['current/x.txt']);
    expect(await find(['current/loop/current/loop/current/*'], tree)).toEqual([
      'current/loop/current/loop/current/x.txt',
    ]);
  });

  it('may be looked up in a workdir that is a link itself', async () => {
    const root = await tempFolder({ 'real/a.txt': 'a', work: { linkTo: 'real' } });
    expect(await resolveFiles(['*'], openFolderWorkspace(`${root}/work`))).toEqual([
      { path: 'a.txt', text: 'a' },
    ]);
  });

  it('are refused if they are more than a model could read', async () => {
    const many = workspaceOf(1_001, async () => ({ bytes: new Uint8Array(), size: 0, version: () => '' }));
    await expect(resolveFiles(['*'], many)).rejects.toThrow(
      new ConfigError('files ["*"] match more than 1000 files: narrow the patterns'),
    );
    const large = { 'a.txt': 'a'.repeat(3_000_000), 'b.txt': 'b'.repeat(3_000_000) };
    await expect(find(['*.txt'], large)).rejects.toThrow(
      new ConfigError('files ["*.txt"] match more than 5 MB of text (up to b.txt): narrow the patterns'),
    );
    expect(await find(['*'], { 'huge.bin': '\0'.repeat(6_000_000), 'a.txt': 'a' })).toEqual(['a.txt']);
  });

  it('are not looked for among more than 200,000, for all patterns together', async () => {
    expect(await findPaths(['99999', '7'], workspaceOf(100_000))).toEqual(['7', '99999']);
    await expect(findPaths(['99999', '7', '8'], workspaceOf(66_667))).rejects.toThrow(
      new ConfigError('files ["99999","7","8"] look through more than 200000 files: narrow the patterns'),
    );
  });

  it.each([
    ['missing', 'there is no such file or folder'],
    ['file', 'it is a file, not a folder'],
    ['file/below', 'a part of its path is a file, not a folder'],
  ])('cannot be looked up in a workdir that is %s', async (name, reason) => {
    const root = await tempFolder({ file: '' });
    await expect(resolveFiles(['*'], openFolderWorkspace(`${root}/${name}`))).rejects.toThrow(
      new ConfigError(`failed to read workdir ${root}/${name}: ${reason}`),
    );
  });
});
