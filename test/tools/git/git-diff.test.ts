import { expect, test } from 'vitest';
import { WorkspaceError, type GitOutput } from '../../../src/core/agent-schema/workspace.ts';
import { openFolderWorkspace } from '../../../src/places/local/workspace/folder-workspace.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { workIn } from '../files/workbench.ts';

/** The files `b/a.txt` and `secret.txt`, where git answers what it is made to. */
async function withGit(
  answer: (args: readonly string[]) => Partial<GitOutput>,
  mayShow: (path: string) => boolean = () => true,
) {
  const asked: string[] = [];
  const workspace = openFolderWorkspace(await tempFolder({ 'b/a.txt': 'a', 'secret.txt': 'b' }));
  const git = async (args: readonly string[]) => {
    asked.push(args.join(' '));
    return { text: '', isCut: false, ...answer(args) };
  };
  const { say } = workIn({ ...workspace, repository: () => ({ git }) }, { mayShow });
  return { asked, say };
}

const FIXED =
  '--no-ext-diff --no-textconv --no-color --no-renames --ignore-submodules=dirty --submodule=short';
const commits = (args: readonly string[]) =>
  args[0] === 'rev-parse' ? { text: `id of ${args.at(-1)}\n` } : {};

test.each<[args: Record<string, unknown>, compared: string, paths: string, ids?: string[]]>([
  [{}, '', ''],
  [{ staged: true }, ' --cached', ''],
  [{ path: 'b' }, '', ' :(top,literal)b'],
  [{ ref: 'main' }, '', '', ['main']],
  [{ ref: 'v1.0..main', path: 'b/a.txt' }, '', ' :(top,literal)b/a.txt', ['v1.0', 'main']],
  [{ ref: 'main...' }, '', '', ['main', 'HEAD']],
  [{ ref: '..main' }, '', '', ['HEAD', 'main']],
])('git_diff with %j asks git for names and then for a diff', async (args, options, paths, ids = []) => {
  const { asked, say } = await withGit((each) =>
    each.includes('--name-only') ? {} : { text: commits(each).text ?? 'the diff' },
  );
  expect(await say('git_diff', args)).toBe('the diff');
  const dots = /\.{2,3}(?!\d)/.exec(String(args['ref']))?.[0] ?? '';
  const compared = ids.map((each) => `id of ${each}^{commit}`).join(dots);
  const end = `${FIXED}${options} --end-of-options ${compared === '' ? '' : `${compared} `}--${paths}`;
  expect(asked).toEqual([
    ...ids.map((each) => `rev-parse --verify --quiet --end-of-options ${each}^{commit}`),
    `diff --name-only -z ${end}`,
    `diff ${end}`,
  ]);
});

test('git_diff leaves out what may not be shown, and says when there is too much of it', async () => {
  const names = (...all: string[]) => ({ text: all.map((each) => `${each}\0`).join('') });
  const mayShow = (path: string) => !path.startsWith('secret');
  const few = await withGit((args) => (args.includes('-z') ? names('b/a.txt', 'secret.txt') : {}), mayShow);
  expect(await few.say('git_diff', {})).toBe('(no changes)');
  expect(few.asked[1]).toBe(`diff ${FIXED} --end-of-options -- :(exclude,top,literal)secret.txt`);
  const many = (count: number) => names(...Array.from({ length: count }, (_, index) => `secret${index}`));
  const [most, more, cut] = await Promise.all([
    withGit((args) => (args.includes('-z') ? many(500) : {}), mayShow),
    withGit((args) => (args.includes('-z') ? many(501) : {}), mayShow),
    withGit((args) => (args.includes('-z') ? { isCut: true } : {}), mayShow),
  ]);
  expect([
    await most.say('git_diff', {}),
    await more.say('git_diff', {}),
    await cut.say('git_diff', {}),
  ]).toEqual([
    '(no changes)',
    'Error: too many files have changed: name a path',
    'Error: too many files have changed: name a path',
  ]);
});

test.each<[ref: string, refusal: string]>([
  ['-x', 'argument "ref" must be a branch, a tag or a commit, not "-x"'],
  ['main..-x', 'argument "ref" must be a branch, a tag or a commit, not "-x"'],
  ['a b', 'argument "ref" must be a branch, a tag or a commit, not "a b"'],
  ['x'.repeat(201), `argument "ref" must be a branch, a tag or a commit, not "${'x'.repeat(201)}"`],
  ['gone', 'there is no commit "gone"'],
])('git_diff refuses to compare with %s', async (ref, refusal) => {
  const { say } = await withGit(() => {
    throw new WorkspaceError('failed', '.git');
  });
  expect(await say('git_diff', { ref })).toBe(`Error: ${refusal}`);
});

test('git_diff says that a text is cut, and where there is no repository', async () => {
  const { say } = await withGit((args) => (args.includes('-z') ? {} : { text: 'a part', isCut: true }));
  expect(await say('git_diff', {})).toBe('a part\n(too long to be shown whole: name a path)');
  const none = workIn({ ...openFolderWorkspace(await tempFolder({})), repository: () => undefined });
  expect(await none.say('git_diff', {})).toBe('Error: the working directory is not a git repository');
});

test.each<[args: Record<string, unknown>, most: number, paths: string]>([
  [{}, 20, ''],
  [{ limit: 200 }, 200, ''],
  [{ limit: 201, path: 'b' }, 200, ' :(top,literal)b'],
  [{ limit: 1 }, 1, ''],
])('git_log with %j asks git for so many commits', async (args, most, paths) => {
  const { asked, say } = await withGit(() => ({}));
  expect(await say('git_log', args)).toBe('(no commit changed it)');
  expect(asked).toEqual([
    `log --max-count=${most} --format=%h %as %an: %s --no-color --no-decorate --no-show-signature --no-mailmap --end-of-options --${paths}`,
  ]);
});
