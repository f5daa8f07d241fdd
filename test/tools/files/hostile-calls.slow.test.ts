import { execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FILE_TOOLS } from '../../../src/tools/files/file-tools.ts';
import type { ToolArguments } from '../../../src/core/tool-contracts/tool.ts';
import { openFolderWorkspace } from '../../../src/places/local/workspace/folder-workspace.ts';
import { cases } from '../../fixtures/cases.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { workIn, workInFolder } from './workbench.ts';

const nested = (depth: number): unknown => {
  let value: unknown = 'x';
  for (let level = 0; level < depth; level++) value = [value];
  return value;
};

describe('arguments', () => {
  test.each<[string, ToolArguments, string]>([
    ['read_file', {}, 'argument "path" is required'],
    ['read_file', { path: null }, 'argument "path" is required'],
    ['read_file', { path: ['a'] }, 'argument "path" must be text, not a list'],
    ['read_file', { path: { a: 1 } }, 'argument "path" must be text, not an object'],
    ['read_file', { path: nested(1_000) }, 'argument "path" must be text, not a list'],
    ['read_file', { path: 7 }, 'argument "path" must be text, not 7'],
    [
      'read_file',
      { path: 'x'.repeat(10_000_000) },
      'argument "path" has 10000000 characters, at most 4096 are allowed',
    ],
    [
      'read_file',
      { path: 'a', offset: 'two' },
      'argument "offset" must be a whole number of at least 0, not "two"',
    ],
    [
      'read_file',
      { path: 'a', offset: 1.5 },
      'argument "offset" must be a whole number of at least 0, not 1.5',
    ],
    ['read_file', { path: 'a', limit: 0 }, 'argument "limit" must be a whole number of at least 1, not 0'],
    [
      'read_file',
      { path: 'a', limit: [1] },
      'argument "limit" must be a whole number of at least 1, not a list',
    ],
    [
      'read_file',
      { path: 'a', limit: '9'.repeat(100) },
      'argument "limit" must be a whole number of at least 1, not a text',
    ],
    ['write_file', { path: 'a' }, 'argument "content" is required'],
    ['write_file', { path: 'a', content: 5 }, 'argument "content" must be text, not 5'],
    ['write_file', { path: 'a', content: nested(1_000) }, 'argument "content" must be text, not a list'],
    [
      'write_file',
      { path: 'a', content: 'x'.repeat(10_000_000) },
      'argument "content" has 10000000 characters, at most 5000000 are allowed',
    ],
    ['edit_file', { path: 'a', old_string: 'x' }, 'argument "new_string" is required'],
    [
      'edit_file',
      { path: 'a', old_string: true, new_string: 'x' },
      'argument "old_string" must be text, not true',
    ],
    [
      'edit_file',
      { path: 'a', old_string: 'x', new_string: 'y', replace_all: 'maybe' },
      'argument "replace_all" must be true or false, not "maybe"',
    ],
    ['delete_file', { path: false }, 'argument "path" must be text, not false'],
    ['list_directory', { path: [] }, 'argument "path" must be text, not a list'],
    ['list_directory', { depth: 0 }, 'argument "depth" must be a whole number of at least 1, not 0'],
    ['glob', {}, 'argument "pattern" is required'],
    ['glob', { pattern: 5 }, 'argument "pattern" must be text, not 5'],
    [
      'grep',
      { pattern: 'x'.repeat(10_000_000) },
      'argument "pattern" has 10000000 characters, at most 1000 are allowed',
    ],
    ['grep', { pattern: 'x', glob: {} }, 'argument "glob" must be text, not an object'],
    [
      'grep',
      { pattern: 'x', context: -1 },
      'argument "context" must be a whole number of at least 0, not -1',
    ],
    ['grep', { pattern: 'x', ignore_case: 1 }, 'argument "ignore_case" must be true or false, not 1'],
  ])('of %s that cannot be read are refused by name (%#)', async (name, args, reason) => {
    const { say } = await workInFolder({ a: 'x' });
    expect(await say(name, args)).toBe(`Error: ${reason}`);
  });

  test('never break a tool, with any arguments', async () => {
    const { say } = await workInFolder({ a: 'x' });
    const name = fc.constantFrom(
      'path',
      'file_path',
      'pattern',
      'content',
      'offset',
      'old_string',
      'context',
    );
    const value = fc.oneof(fc.anything(), fc.constantFrom('', 'a', '.', '5', ' ', 'true', 1e300, -0, NaN));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...FILE_TOOLS.map(({ definition }) => definition.name)),
        fc.dictionary(name, value),
        async (tool, args) => {
          expect(typeof (await say(tool, args))).toBe('string');
        },
      ),
      { numRuns: cases(300) },
    );
  });
});

describe('paths', () => {
  const SECRET = 'TOP SECRET';

  /** A workdir with every way out that there is, beside something to be found. */
  async function besideSecrets() {
    const root = await tempFolder({
      'secret/key.txt': SECRET,
      'secret.txt': SECRET,
      'work/a.txt': 'inside',
      'work/sub/b.txt': 'inside',
      'work/up': { linkTo: '..' },
      'work/root': { linkTo: '/' },
      'work/dev': { linkTo: '/dev' },
      'work/proc': { linkTo: '/proc/self' },
      'work/zero': { linkTo: '/dev/zero' },
      'work/out.txt': { linkTo: '../secret.txt' },
      'work/sub/out': { linkTo: '../../secret' },
      'work/dangling': { linkTo: '../made.txt' },
      'work/self': { linkTo: '.' },
      'work/loop': { linkTo: 'loop' },
      'work-sibling/key.txt': SECRET,
    });
    execFileSync('mkfifo', [join(root, 'work/pipe')]);
    return { root, ...workIn(openFolderWorkspace(join(root, 'work'), { searchPath: '' })) };
  }

  async function outsideOf(root: string) {
    const [top, secret, sibling, text, key] = await Promise.all([
      readdir(root),
      readdir(join(root, 'secret')),
      readdir(join(root, 'work-sibling')),
      readFile(join(root, 'secret.txt'), 'utf8'),
      readFile(join(root, 'secret/key.txt'), 'utf8'),
    ]);
    return { top, secret, sibling, text, key };
  }

  const calls = (path: string): [string, ToolArguments][] => [
    ['read_file', { path }],
    ['grep', { path, pattern: '.' }],
    ['glob', { path, pattern: '**' }],
    ['list_directory', { path, depth: 2 }],
    ['edit_file', { path, old_string: 'i', new_string: 'I', replace_all: true }],
    ['delete_file', { path }],
    ['write_file', { path, content: 'written' }],
  ];

  const OUTSIDE = `
    .. ../ ../secret.txt sub/../../secret.txt ..//secret.txt / /etc/passwd //etc/passwd /proc/self/environ
    up up/secret.txt up/new.txt root/etc/passwd sub/out/key.txt sub/out self/up/secret ../work-sibling
    out.txt ././/./out.txt self/self/out.txt sub/../out.txt dangling
    zero dev/zero dev/stdin dev/new proc/environ proc/fd/0`;

  test.each(OUTSIDE.trim().split(/\s+/))(
    'that lead outside are refused by all tools in the same words: %s',
    async (path) => {
      const { root, say } = await besideSecrets();
      const before = await outsideOf(root);
      for (const [name, args] of calls(path)) {
        expect(await say(name, args)).toBe(`Error: path "${path}" is outside the workdir`);
      }
      expect(await outsideOf(root)).toEqual(before);
    },
  );

  test.each(['.git/hooks/post-checkout', 'sub/.git', '.cadre/runs/x', '.GIT/config', 'linked/config'])(
    'that make programs run or change what runs have said are not written: %s',
    async (path) => {
      const { say } = await workInFolder({ '.git/config': 'x', linked: { linkTo: '.git' } });
      const text = await say('write_file', { path, content: 'x' });
      expect(text).toMatch(/^Error: ".+" cannot be changed: it is in \.(git|GIT|cadre)$/);
      expect(await say('edit_file', { path, old_string: 'x', new_string: 'y' })).toBe(text);
      expect(await say('delete_file', { path })).toBe(text);
    },
  );

  test.each(['.git', '.git/hooks', '.cadre/runs', 'linked'])(
    'in a workdir that is such a folder, or lies in one, are not written: %s',
    async (workdir) => {
      const folder = await tempFolder({
        '.git/hooks/x': 'x',
        '.cadre/runs/x': 'x',
        linked: { linkTo: '.git/hooks' },
      });
      const { say } = workIn(openFolderWorkspace(join(folder, workdir)));
      const text = `Error: "x" cannot be changed: it is in ${workdir.startsWith('.cadre') ? '.cadre' : '.git'}`;
      expect(await say('write_file', { path: 'x', content: 'y' })).toBe(text);
      expect(await say('delete_file', { path: 'x' })).toBe(text);
    },
  );

  test('of devices, pipes and loops are refused, and not waited for', async () => {
    const { say } = await besideSecrets();
    expect(await say('read_file', { path: 'pipe' })).toBe('Error: "pipe" is not a regular file');
    expect(await say('write_file', { path: 'pipe', content: 'x' })).toBe(
      'Error: "pipe" is not a regular file',
    );
    expect(await say('grep', { path: 'pipe', pattern: 'x' })).toBe('Error: "pipe" is not a regular file');
    expect(await say('read_file', { path: 'loop' })).toBe(
      'Error: "loop" cannot be used: its links lead round in a circle',
    );
  });

  test('1,000 of any kind reach nothing outside, and break nothing', async () => {
    const { root, say } = await besideSecrets();
    const before = await outsideOf(root);
    const piece = fc.constantFrom(
      ...'. .. / / / // \\ ~ ~root a.txt sub b.txt up root dev proc zero out.txt out dangling self loop pipe'.split(
        ' ',
      ),
      ...'secret secret.txt key.txt work-sibling etc passwd environ fd 0 stdin null made.txt new *'.split(
        ' ',
      ),
      '\0',
      '\n',
      ' ',
      '．',
      '․․',
      '‥',
      '／',
      '∕',
      '%2e%2e',
      '%2f',
      '..;',
      '\u202e',
      '\ud800',
      'é',
      'e\u0301',
      'file://',
      'C:\\',
      '\\\\?\\',
      '$HOME',
      'x'.repeat(300),
      root,
    );
    const path = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(''));
    await fc.assert(
      fc.asyncProperty(path, fc.nat(6), async (hostile, index) => {
        const [name, args] = calls(hostile)[index] ?? ['', {}];
        expect(await say(name, args)).not.toContain(SECRET);
      }),
      { numRuns: cases(1_000) },
    );
    expect(await outsideOf(root)).toEqual(before);
  });
});
