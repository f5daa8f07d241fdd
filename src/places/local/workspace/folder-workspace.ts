import { lstatSync, readdirSync, realpathSync, statSync, type Dirent, type Stats } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type ByteRange,
  type FileContent,
  type FileOwner,
  type FileStat,
  type Workspace,
  WorkspaceError,
} from '../../../core/agent-schema/workspace.ts';
import { ConfigError } from '../../../errors.ts';
import { fileFault, isMissing } from './file-fault.ts';
import { deleteFile, type ResolvedPath, readFile, writeFile } from './folder-files.ts';
import { isInside, wayIn } from './inside.ts';
import { PinnedFolder, realPathOf } from './open-inside.ts';
import { checkPath } from '../../../core/agent-schema/check-path.ts';
import { openRepository } from './repository.ts';
import { findWithRipgrep } from './ripgrep.ts';

/** In a folder, all runs are of the person who works there. */
interface FolderOptions extends FileOwner {
  searchPath?: string;
  /** A path that has to lead to another path, both as `heldTo` takes them; absent: there is none. */
  held?: { path: string; real: string } | undefined;
}

/**
 * A folder of this machine as a workspace. Nothing outside it is ever read or written, not even through links.
 *
 * Files are read without the thread pool, which takes ten times as long to reach as a small file to read.
 * @param options.searchPath where programs are, as in PATH: ripgrep, if it is installed
 */
export function openFolderWorkspace(
  folder: string,
  { searchPath = process.env['PATH'] ?? '', held }: FolderOptions = {},
): Workspace {
  const resolved = (path: string): ResolvedPath => {
    const found = resolvePath(path, folder);
    // Tools continue with the resolved path, which may have become a link since.
    const isHeld = held !== undefined && (path === held.path || path === held.real);
    if (isHeld && wayIn(found.root, found.real) !== held.real) throw new WorkspaceError('moved', path);
    return found;
  };
  return {
    async *list(enter, from = '') {
      const root = rootOf(folder);
      const start = await attempt(from, () => wayIn(root, resolved(from).real));
      for (const { path, real, isLink } of walk(root, start, enter)) {
        yield {
          path,
          isLink,
          stat: async () => fileStat(real),
          read: (range = {}) =>
            readPart(path, range, () => (isLink ? resolved(path) : { asked: path, root, real })),
        };
      }
    },

    entries: (path) =>
      attempt(path, () => {
        const { root, real } = resolved(path);
        if (!lstatSync(real).isDirectory()) throw new WorkspaceError('not a folder', path);
        return entriesOf(root, wayIn(root, real)).entries.map((entry) => {
          const kind = kindOf(root, entry);
          const size = kind === 'file' ? (fileStat(join(root, entry.path))?.size ?? 0) : 0;
          return { name: entry.name, kind: kind ?? 'other', isLink: entry.entry.isSymbolicLink(), size };
        });
      }),

    stat: (path) =>
      attempt(path, () => {
        const stats = lstatSync(resolved(path).real);
        const kind = stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : undefined;
        if (kind === undefined) throw new WorkspaceError('special', path);
        return { kind, size: stats.size, modified: stats.mtimeMs };
      }),

    read: (path, range = {}) => readPart(path, range, resolved),
    write: (path, bytes, expected) => attempt(path, () => writeFile(resolved(path), bytes, expected)),
    delete: (path, expected) => attempt(path, () => deleteFile(resolved(path), expected)),

    realPath: (path) =>
      attempt(path, () => {
        const { root, real } = resolved(path);
        return wayIn(root, real);
      }),

    absolutePath: (path) => attempt(path, () => resolved(path).real),

    async findCandidates(query, signal) {
      const { root, real } = await attempt(query.folder, () => resolved(query.folder));
      const found = await findWithRipgrep(query, real, searchPath, signal);
      return found?.map((path) => wayIn(root, join(real, path)));
    },

    heldTo: (path, real) => openFolderWorkspace(folder, { searchPath, held: { path, real } }),

    repository: () => openRepository(folder, searchPath),
  };
}

/** @throws {ConfigError} if there is no such folder */
function rootOf(folder: string): string {
  let root: string;
  try {
    root = realpathSync.native(folder);
    if (statSync(root).isDirectory()) return root;
  } catch (error) {
    throw new ConfigError(`failed to read workdir ${folder}: ${fileFault(error)}`, { cause: error });
  }
  throw new ConfigError(`failed to read workdir ${folder}: it is a file, not a folder`);
}

/** @throws {WorkspaceError} where the path leads out of the workspace, whether anything is there or not */
function resolvePath(asked: string, folder: string): ResolvedPath {
  checkPath(asked);
  const root = realpathSync.native(folder);
  const written = resolve(root, asked);
  let real: string;
  try {
    real = realPathOf(written);
  } catch (error) {
    // Agents must not learn anything about files outside, not even why they cannot be read.
    if (isInside(written, root) || isInside(written, folder)) throw error;
    throw new WorkspaceError('outside', asked);
  }
  if (!isInside(real, root)) throw new WorkspaceError('outside', asked);
  return { asked, root, real };
}

/** Does something with the file system, whose errors become the workspace's. */
async function attempt<Result>(path: string, work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof WorkspaceError) throw error;
    if (isMissing(error)) throw new WorkspaceError('missing', path, '', { cause: error });
    throw new WorkspaceError('failed', path, fileFault(error), { cause: error });
  }
}

/** Nothing here waits for anything: who reads on in a file, which may take minutes, lets others have their turn. */
async function readPart(
  path: string,
  range: ByteRange,
  resolved: (path: string) => ResolvedPath,
): Promise<FileContent> {
  if ((range.offset ?? 0) > 0) await nextTurn();
  return attempt(path, () => readFile(resolved(path), range));
}

interface Entry {
  name: string;
  /** Below the root. */
  path: string;
  entry: Dirent;
}

interface FolderContent {
  /** The folder's own path, without links. */
  real: string;
  entries: Entry[];
}

/** @throws {WorkspaceError} where a link has taken the folder's place, and leads out of the root */
function entriesOf(root: string, folder: string): FolderContent {
  const real = realPathOf(join(root, folder));
  const pinned = PinnedFolder.open(real, root, folder);
  try {
    const entries = readdirSync(pinned.at(''), { withFileTypes: true }).map((entry) => ({
      name: entry.name,
      path: folder === '' ? entry.name : `${folder}/${entry.name}`,
      entry,
    }));
    return { real, entries };
  } finally {
    pinned.close();
  }
}

interface WalkedFile {
  path: string;
  /** Resolves the folders above it; when it is opened, the system makes sure that it is not a link itself. */
  real: string;
  isLink: boolean;
}

function* walk(
  root: string,
  start: string,
  enter: (folder: string, isLink: boolean) => boolean,
): Generator<WalkedFile> {
  const folders = [{ path: start, isLink: false }];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    if (folder.path !== start && !enter(folder.path, folder.isLink)) continue;
    const { real, entries } = readableEntries(root, folder.path);
    for (const { name, path, entry } of entries) {
      const isLink = entry.isSymbolicLink();
      const kind = kindOf(root, { path, entry });
      if (kind === 'folder') folders.push({ path, isLink });
      if (kind === 'file') yield { path, real: `${real}${sep}${name}`, isLink };
    }
  }
}

/** A folder that cannot be read holds no readable files. */
function readableEntries(root: string, folder: string): FolderContent {
  try {
    return entriesOf(root, folder);
  } catch {
    return { real: '', entries: [] };
  }
}

/** Undefined for entries that cannot be read: devices and pipes, links that lead out of the root or nowhere. */
function kindOf(root: string, { path, entry }: Pick<Entry, 'path' | 'entry'>): 'file' | 'folder' | undefined {
  let stats: Dirent | Stats = entry;
  if (entry.isSymbolicLink()) {
    try {
      const real = realpathSync.native(join(root, path));
      if (!isInside(real, root)) return undefined;
      stats = statSync(real);
    } catch {
      return undefined;
    }
  }
  return stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : undefined;
}

function fileStat(path: string): FileStat | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? undefined : { size: stats.size, modified: stats.mtimeMs };
}
