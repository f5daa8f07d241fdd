import { lstatSync, readdirSync, realpathSync, statSync, type Dirent, type Stats } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { type FileStat, type ListedFile, type Workspace, WorkspaceError } from '../agent/workspace.ts';
import { ConfigError } from '../errors.ts';
import { fileFault, isMissing } from './file-fault.ts';
import { deleteFile, type Place, readFile, writeFile } from './folder-files.ts';
import { isInside } from './inside.ts';
import { HeldFolder, realPathOf } from './open-inside.ts';
import { checkPath } from './path.ts';

/**
 * A folder of this machine as a workspace. Nothing outside it is ever read or written, whatever links lead there.
 *
 * Files are read without the thread pool, which takes ten times as long to reach as a small file to read.
 */
export function openFolderWorkspace(folder: string): Workspace {
  const placeOf = (path: string) => findPlace(path, folder);
  return {
    async *list(enter, from = '') {
      const root = rootOf(folder);
      const start = await attempt(from, () => relative(root, placeOf(from).real));
      yield* walk(root, start, enter);
    },

    entries: (path) =>
      attempt(path, () => {
        const { root, real } = placeOf(path);
        if (!lstatSync(real).isDirectory()) throw new WorkspaceError('not a folder', path);
        return entriesOf(root, relative(root, real)).map((entry) => {
          const kind = kindOf(root, entry);
          const size = kind === 'file' ? (fileStat(join(root, entry.path))?.size ?? 0) : 0;
          return { name: entry.name, kind: kind ?? 'other', size };
        });
      }),

    stat: (path) =>
      attempt(path, () => {
        const stats = lstatSync(placeOf(path).real);
        const kind = stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : undefined;
        if (kind === undefined) throw new WorkspaceError('special', path);
        return { kind, size: stats.size, modified: stats.mtimeMs };
      }),

    read: (path, range = {}) => attempt(path, () => readFile(placeOf(path), range)),
    write: (path, bytes, expected) => attempt(path, () => writeFile(placeOf(path), bytes, expected)),
    delete: (path, expected) => attempt(path, () => deleteFile(placeOf(path), expected)),

    realPath: (path) =>
      attempt(path, () => {
        const { root, real } = placeOf(path);
        return relative(root, real);
      }),
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
function findPlace(asked: string, folder: string): Place {
  checkPath(asked);
  const root = realpathSync.native(folder);
  const written = resolve(root, asked);
  let real: string;
  try {
    real = realPathOf(written);
  } catch (error) {
    // What is out there is nobody's business here, not even why it cannot be looked at.
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

interface Entry {
  name: string;
  /** Below the root. */
  path: string;
  entry: Dirent;
}

/** @throws {WorkspaceError} where a link has taken the folder's place, and leads out of the root */
function entriesOf(root: string, folder: string): Entry[] {
  const held = HeldFolder.open(realPathOf(join(root, folder)), root, folder);
  try {
    return readdirSync(held.at(''), { withFileTypes: true }).map((entry) => ({
      name: entry.name,
      path: folder === '' ? entry.name : `${folder}/${entry.name}`,
      entry,
    }));
  } finally {
    held.close();
  }
}

async function* walk(
  root: string,
  start: string,
  enter: (folder: string, isLink: boolean) => boolean,
): AsyncGenerator<ListedFile> {
  const folders = [{ path: start, isLink: false }];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    if (folder.path !== start && !enter(folder.path, folder.isLink)) continue;
    for (const { path, entry } of readableEntries(root, folder.path)) {
      const isLink = entry.isSymbolicLink();
      const kind = kindOf(root, { path, entry });
      if (kind === 'folder') folders.push({ path, isLink });
      if (kind === 'file') yield { path, stat: async () => fileStat(join(root, path)) };
    }
  }
}

/** A folder that cannot be read holds no readable files. */
function readableEntries(root: string, folder: string): Entry[] {
  try {
    return entriesOf(root, folder);
  } catch {
    return [];
  }
}

/** Undefined for what nobody can read: devices and pipes, links that lead out of the root or nowhere. */
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
