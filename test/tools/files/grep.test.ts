import { existsSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openFolderWorkspace } from '../../../src/places/local/workspace/folder-workspace.ts';
import { cases } from '../../fixtures/cases.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { workIn, workInFolder } from './workbench.ts';

const tree = {
  'a.ts': 'one\nconst two = 2;\nthree\n',
  'src/b.ts': 'import x\nCONST y\n',
  'src/deep/c.js': 'const z',
  'binary.ts': 'const\0',
  'latin.txt': Buffer.from('caf\xe9 const', 'latin1'),
  'crlf.txt': 'const\r\nx const\r\n',
  'link.ts': { linkTo: 'a.ts' },
};

describe('grep', () => {
  test.each<[Record<string, unknown>, string[]]>([
    [
      { pattern: 'const' },
      [
        'a.ts:2: const two = 2;',
        'crlf.txt:1: const',
        'crlf.txt:2: x const',
        'latin.txt:1: café const',
        'src/deep/c.js:1: const z',
      ],
    ],
    [{ pattern: '^const$' }, ['crlf.txt:1: const']],
    [{ pattern: '\\Aconst\\z' }, ['crlf.txt:1: const']],
    [
      { pattern: 'CONST', ignore_case: 'true', path: 'src' },
      ['src/b.ts:2: CONST y', 'src/deep/c.js:1: const z'],
    ],
    [{ pattern: 'const', glob: '*.js' }, ['src/deep/c.js:1: const z']],
    [{ pattern: 'const', glob: 'src/*.js' }, ['(no line matches)']],
    [{ pattern: 'const', glob: 'deep/*.js', path: 'src' }, ['src/deep/c.js:1: const z']],
    [{ pattern: 'const', files_only: true, glob: '*.{ts,txt}' }, ['a.ts', 'crlf.txt', 'latin.txt']],
    [{ pattern: 'const', path: 'a.ts' }, ['a.ts:2: const two = 2;']],
    [{ pattern: 'e\\nconst' }, ['(no line matches)']],
    [{ pattern: 'two|three', glob: '*.ts' }, ['a.ts:2: const two = 2;', 'a.ts:3: three']],
    [{ pattern: 'é' }, ['latin.txt:1: café const']],
    [{ pattern: '$', path: 'a.ts' }, ['a.ts:1: one', 'a.ts:2: const two = 2;', 'a.ts:3: three']],
  ])('finds %j', async (args, lines) => {
    const { say } = await workInFolder(tree);
    expect((await say('grep', args)).split('\n')).toEqual(lines);
  });

  test('shows lines around each match, none twice', async () => {
    const text = Array.from({ length: 20 }, (_, index) => ([3, 5, 14].includes(index) ? 'hit' : `${index}`));
    const { say } = await workInFolder({ a: text.join('\n'), b: 'x\nhit' });
    expect((await say('grep', { pattern: 'hit', context: 2 })).split('\n')).toEqual([
      'a-2- 1',
      'a-3- 2',
      'a:4: hit',
      'a-5- 4',
      'a:6: hit',
      'a-7- 6',
      'a-8- 7',
      '--',
      'a-13- 12',
      'a-14- 13',
      'a:15: hit',
      'a-16- 15',
      'a-17- 16',
      '--',
      'b-1- x',
      'b:2: hit',
    ]);
  });

  test('shows 1,000 lines at most, and of a long line what is around the match', async () => {
    const { say } = await workInFolder({
      a: 'hit\n'.repeat(1_001),
      b: `${'x'.repeat(5_000)}needle${'y'.repeat(5_000)}`,
    });
    const lines = (await say('grep', { pattern: 'hit' })).split('\n');
    expect([lines.length, lines.at(-1)]).toEqual([
      1_001,
      '(only the first 1000 lines: narrow the pattern, or set path, glob or files_only)',
    ]);
    expect(await say('grep', { pattern: 'needle' })).toBe(
      `b:1: …${'x'.repeat(100)}needle${'y'.repeat(394)}…`,
    );
  });

  test('searches files that are larger than what is read at once', async () => {
    const part = `${'padding '.repeat(15)}é\n`.repeat(40_000);
    const { say } = await workInFolder({
      a: `${part}needle 1\nafter\n${part}`,
      b: `first\nneedle ${'x'.repeat(9_000_000)}\nneedle 3`,
    });
    const lines = (await say('grep', { pattern: 'needle', context: 1 })).split('\n');
    expect(lines.map((line) => line.slice(0, 19))).toEqual([
      'a-40000- padding pa',
      'a:40001: needle 1',
      'a-40002- after',
      '--',
      'b-1- first',
      'b:2: needle xxxxxxx',
      'b:3: needle 3',
    ]);
  });

  test.each([
    ['(', 'missing closing ): `(`'],
    ['a**', 'invalid nested repetition operator: `**`'],
    ['(?=a)', 'invalid or unsupported Perl syntax: `(?=`'],
    ['(a)\\1', 'invalid escape sequence: `\\1`'],
  ])('refuses the pattern %s', async (pattern, reason) => {
    const { say } = await workInFolder();
    expect(await say('grep', { pattern })).toBe(
      `Error: pattern "${pattern}" is not a regular expression of RE2: ${reason}`,
    );
  });

  test('takes no longer for patterns that would have others go back and forth', async () => {
    const { say } = await workInFolder({ a: 'x'.repeat(200_000) });
    for (const pattern of ['(x+x+)+y', '(x|xx)*$y', '(.*)*(.*)*(.*)*y', '(x?){500}x{500}y']) {
      expect(await say('grep', { pattern })).toBe('(no line matches)');
    }
  });

  test('tells what is wrong with a file that is named', async () => {
    const { say } = await workInFolder(tree);
    expect(await say('grep', { pattern: 'x', path: 'binary.ts' })).toBe(
      'Error: "binary.ts" is a binary file: only text can be read',
    );
    expect(await say('grep', { pattern: 'x', path: 'none' })).toBe(
      'Error: there is no file or folder "none"',
    );
    expect(await say('grep', { pattern: 'x', path: '..' })).toBe('Error: path ".." is outside the workdir');
  });

  test('stops where the run is stopped', async () => {
    const workspace = openFolderWorkspace(await tempFolder({ a: 'a' }), { searchPath: '' });
    const { call } = workIn(workspace, { signal: AbortSignal.abort(new Error('stopped')) });
    await expect(call('grep', { pattern: 'a' })).rejects.toThrow('stopped');
  });

  test.each([
    ['grep', { path: 'a', pattern: 'b' }],
    ['read_file', { path: 'a', offset: 20_000_000 }],
  ])('a search stops within a large file, and so does reading it: %s', async (tool, args) => {
    const workspace = openFolderWorkspace(await tempFolder({ a: 'a\n'.repeat(9 * 2 ** 20) }), {
      searchPath: '',
    });
    const stop = new AbortController();
    const { call } = workIn(workspace, { signal: stop.signal });
    // A search lets others go on before its first file.
    setImmediate(() => setImmediate(() => stop.abort(new Error('stopped'))));
    await expect(call(tool, args)).rejects.toThrow('stopped');
  });
});

describe('grep with ripgrep', () => {
  /** A program in ripgrep's place, which writes down how it was called. */
  async function withProgram(script: string, entries: Parameters<typeof tempFolder>[0]) {
    const bin = await tempFolder({ rg: `#!/bin/sh\n${script}` });
    await chmod(join(bin, 'rg'), 0o755);
    const folder = await tempFolder(entries);
    const { say } = workIn(openFolderWorkspace(folder, { searchPath: `.:relative:${bin}` }));
    return { say, bin, folder };
  }
  const record = (bin: string) => readFile(join(bin, 'called'), 'utf8').catch(() => '');

  test('looks only into the files that it names, by the same rules', async () => {
    const { say } = await withProgram(`printf './src/a\\0./ignored\\0./none\\0./.git/x\\0./b\\0'`, {
      '.gitignore': 'ignored',
      'src/a': 'needle\nneedle 2',
      ignored: 'needle',
      '.git/x': 'needle',
      b: 'no',
      'not-named': 'needle',
    });
    expect(await say('grep', { pattern: 'needle' })).toBe('src/a:1: needle\nsrc/a:2: needle 2');
  });

  test('searches a folder without it whose own rules leave out all that is in it', async () => {
    const { say } = await withProgram('exit 1', { 'cache/.gitignore': '*\n', 'cache/a': 'needle' });
    expect(await say('grep', { pattern: 'needle', path: 'cache' })).toBe('cache/a:1: needle');
  });

  test('hands it the pattern as one argument, and nothing of the environment', async () => {
    const { say, bin } = await withProgram(
      'd=${0%/*}; printf "%s\\n" "$@" >"$d/called"; export -p | grep -c SECRET >>"$d/called"; exit 1',
      { 'sub/a': 'x' },
    );
    process.env['SECRET'] = 'key';
    try {
      expect(await say('grep', { pattern: '--pre=touch x; $(id)', path: 'sub' })).toBe('(no line matches)');
    } finally {
      delete process.env['SECRET'];
    }
    const lines = (await record(bin)).trim().split('\n');
    expect(lines.slice(-4)).toEqual(['--regexp=--pre=touch x; (?:\\r?$)(id)', '--', '.', '0']);
    expect(lines).toContain('--no-config');
  });

  test.each([
    ['fails', 'exit 2'],
    ['dies', 'kill -9 $$'],
    ['finds a file that cannot be read', `printf './a\\0'; exit 2`],
  ])('searches by itself where it %s', async (_, script) => {
    const { say } = await withProgram(script, { a: 'x', b: 'x' });
    expect(await say('grep', { pattern: 'x' })).toBe('a:1: x\nb:1: x');
  });

  test.each([
    'é',
    'a.b',
    '[^x]y',
    '\\pL',
    '\\x{e9}',
    '(?s)a',
    '[[:alpha:]]',
    '[a&&b]',
    'a{,2}',
    '\\Aa',
    '\\W$',
  ])('does not ask it for %s, which it reads in another way', async (pattern) => {
    const { say, bin } = await withProgram('touch "${0%/*}/called"; echo >"${0%/*}/called"; exit 1', {
      a: '',
    });
    await say('grep', { pattern });
    expect(await record(bin)).toBe('');
  });

  // Where it is not installed there is no such test: one that is skipped fails a whole run.
  const installed = (process.env['PATH'] ?? '').split(':').filter((folder) => folder.startsWith('/'));
  test.each(installed.filter((folder) => existsSync(join(folder, 'rg'))))(
    'finds the same as without it: %s',
    async (searchPath) => {
      const folder = await tempFolder({});
      const [without, withIt] = ['', searchPath].map((path) =>
        workIn(openFolderWorkspace(folder, { searchPath: path })),
      );
      const atom = fc.constantFrom(
        ...'a b k é \\w \\d \\s \\b \\B . .* .+ [ab] [^a]+ [^é]* \\W+ ^ $ (?:ab) (a|b) a{2} a+ \\. -'.split(
          ' ',
        ),
      );
      const line = fc.string({ unit: fc.constantFrom(...'abkKé. -1\t\r\n€'.split('')), maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(
          fc.array(atom, { minLength: 1, maxLength: 5 }).map((atoms) => atoms.join('')),
          fc.array(line, { minLength: 1, maxLength: 4 }),
          fc.boolean(),
          async (pattern, texts, ignore_case) => {
            await Promise.all(
              texts.map((text, index) =>
                writeFile(join(folder, `${index}`), text, index % 2 === 0 ? 'utf8' : 'latin1'),
              ),
            );
            const args = { pattern, ignore_case };
            expect(await withIt?.say('grep', args)).toBe(await without?.say('grep', args));
          },
        ),
        { numRuns: cases(100) },
      );
    },
  );
});
