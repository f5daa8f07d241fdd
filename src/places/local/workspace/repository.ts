import { execFile } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { mkdtemp, opendir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { type GitOutput, type Repository, WorkspaceError } from '../../../core/agent-schema/workspace.ts';
import { findProgram } from './find-program.ts';
import { readSmallFileNow } from './small-file.ts';

// The settings of a repository name programs in many places: filters, text conversions, monitors, signatures, hooks,
// transports for objects that are missing. Agents may have written them, or an archive may have brought them. So git
// never sees them: it is given a folder of its own that has the objects, the refs and the index of the repository by
// links, and settings of ours.

const SETTINGS = `[core]
\trepositoryFormatVersion = 0
\tbare = false
\tattributesFile = /dev/null
\thooksPath = /dev/null
\tfsmonitor = false
\tbigFileThreshold = 8m
[diff]
\tautoRefreshIndex = false
`;

/** Without settings of the user or the system, questions, locks, writes, or any way to fetch. */
const VARIABLES = {
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_TERMINAL_PROMPT: '0',
  GIT_PAGER: 'cat',
};

/** The most that is read of what git writes, in bytes. */
const MAX_OUTPUT = 1024 ** 2;

/** What is read of a repository: what all work trees share, and what each has. */
const SHARED = ['objects', 'refs', 'packed-refs', 'shallow'];
const isOfWorkTree = (name: string) => name === 'index' || name.startsWith('sharedindex.');

/**
 * The repository whose work tree is a folder.
 * @param folder absolute
 * @param searchPath where programs are, as in PATH
 * @returns undefined if there is none, or its objects belong to another repository
 */
export function openRepository(folder: string, searchPath: string): Repository | undefined {
  const program = findProgram('git', searchPath, folder);
  const found = program === undefined ? undefined : attempt(() => foldersOf(folder));
  if (program === undefined || found === undefined) return undefined;
  return {
    async git(args, signal) {
      const gitDir = await mkdtemp(join(tmpdir(), 'cadre-git-'));
      try {
        await layOut(gitDir, found);
        const env = { ...VARIABLES, GIT_DIR: gitDir, GIT_WORK_TREE: found.workTree };
        return await run(program, args, { cwd: found.workTree, env, signal });
      } finally {
        await rm(gitDir, { recursive: true, force: true });
      }
    },
  };
}

interface Folders {
  workTree: string;
  /** Where the index of the work tree is, and what it has checked out. */
  own: string;
  /** Where the objects and the refs are. */
  shared: string;
}

/** @throws where a part is missing */
function foldersOf(folder: string): Folders | undefined {
  const workTree = realpathSync.native(folder);
  const git = join(workTree, '.git');
  const found = lstatSync(git).isFile() ? linkedFrom(git) : { own: git, shared: git };
  if (found === undefined) return undefined;
  const { shared } = found;
  const areOwn = ['', 'objects', 'objects/info', 'objects/pack', 'refs', 'refs/heads'].every((name) =>
    lstatSync(join(shared, name)).isDirectory(),
  );
  const borrows = existsSync(join(shared, 'objects/info/alternates'));
  return areOwn && !borrows ? { workTree, ...found } : undefined;
}

/**
 * The folder of a linked work tree. Each has to name the other, and it has to lie in the repository that it names: any
 * folder could have files that name others.
 */
function linkedFrom(git: string): { own: string; shared: string } | undefined {
  const [, named] = /^gitdir: (.+)$/.exec(lineOf(git)) ?? [];
  if (named === undefined) return undefined;
  const own = realpathSync.native(resolve(dirname(git), named));
  const back = resolve(own, lineOf(join(own, 'gitdir')));
  const shared = realpathSync.native(resolve(own, lineOf(join(own, 'commondir'))));
  const isMutual = realpathSync.native(back) === git && dirname(own) === join(shared, 'worktrees');
  return isMutual ? { own, shared } : undefined;
}

/** Only regular files are read: reading a pipe would wait. */
function lineOf(path: string): string {
  return String(readSmallFileNow(path, path)).trim();
}

async function layOut(gitDir: string, { own, shared }: Folders): Promise<void> {
  const links = [
    ...SHARED.map((name) => join(shared, name)).filter((path) => lstatSync(path, { throwIfNoEntry: false })),
    ...readdirSync(own)
      .filter(isOfWorkTree)
      .map((name) => join(own, name)),
  ];
  await Promise.all(links.map(assertOwn));
  await Promise.all([
    writeFile(join(gitDir, 'config'), SETTINGS),
    writeFile(join(gitDir, 'HEAD'), `${lineOf(join(own, 'HEAD'))}\n`),
    ...links.map((path) => symlink(path, join(gitDir, basename(path)))),
  ]);
}

/**
 * Links would lead into other repositories, and git would wait at a pipe and read a device without end.
 * @throws {WorkspaceError} unless a path and everything in it are files and folders
 */
async function assertOwn(path: string): Promise<void> {
  const strange = (name: string) => new WorkspaceError('failed', '.git', `${name} is no regular file`);
  const stats = lstatSync(path);
  if (stats.isFile()) return;
  if (!stats.isDirectory()) throw strange(basename(path));
  for await (const entry of await opendir(path, { recursive: true, bufferSize: 1_000 })) {
    if (!entry.isFile() && !entry.isDirectory()) throw strange(entry.name);
  }
}

function run(
  program: string,
  args: readonly string[],
  options: { cwd: string; env: Record<string, string>; signal: AbortSignal },
): Promise<GitOutput> {
  const { signal } = options;
  const limits = { maxBuffer: MAX_OUTPUT, killSignal: 'SIGKILL' } as const;
  return new Promise((done, reject) => {
    execFile(program, ['--no-pager', ...args], { ...options, ...limits }, (error, stdout, stderr) => {
      const isCut = error?.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER';
      if (signal.aborted) reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
      else if (error === null || isCut) done({ text: stdout, isCut });
      else reject(new WorkspaceError('failed', '.git', stderr.trim().split('\n')[0] || error.message));
    });
  });
}

function attempt<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
