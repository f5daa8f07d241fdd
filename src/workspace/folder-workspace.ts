import { constants } from 'node:fs';
import { type FileHandle, open, readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Workspace } from '../agent/workspace.ts';
import { ConfigError } from '../errors.ts';
import { fileFault } from './file-fault.ts';
import { isInside } from './inside.ts';

/** A folder of this machine as a workspace. Nothing outside it is ever read, whatever links lead there. */
export function openFolderWorkspace(folder: string): Workspace {
  return {
    async *list(enter) {
      const root = await realpath(folder).catch((error: unknown) => {
        throw new ConfigError(`failed to read workdir ${folder}: ${fileFault(error)}`, { cause: error });
      });
      if (!(await stat(root)).isDirectory()) {
        throw new ConfigError(`failed to read workdir ${folder}: it is a file, not a folder`);
      }
      yield* walk(root, '', enter);
    },

    async read(path, limit) {
      let handle: FileHandle | undefined;
      try {
        const root = await realpath(folder);
        const real = await realpath(join(root, path));
        if (!isInside(real, root)) return undefined;
        // Not to follow a link that took the file's place meanwhile, and not to wait at a pipe without a writer.
        handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
        const stats = await handle.stat();
        return stats.isFile() ? await readStart(handle, Math.min(stats.size, limit)) : undefined;
      } catch {
        // Unreadable files are left out by contract, for whatever reason.
        return undefined;
      } finally {
        await handle?.close();
      }
    },
  };
}

async function* walk(
  root: string,
  folder: string,
  enter: (folder: string, isLink: boolean) => boolean,
): AsyncGenerator<string> {
  // A folder that cannot be read holds no readable files.
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isFile()) {
      yield path;
    } else if (entry.isDirectory()) {
      if (enter(path, false)) yield* walk(root, path, enter);
    } else if (entry.isSymbolicLink()) {
      const target = await linkTarget(root, path);
      if (target === 'file') yield path;
      if (target === 'folder' && enter(path, true)) yield* walk(root, path, enter);
    }
  }
}

/** What a link leads to, if that is in the workspace. */
async function linkTarget(root: string, path: string): Promise<'file' | 'folder' | undefined> {
  try {
    const real = await realpath(join(root, path));
    if (!isInside(real, root)) return undefined;
    const stats = await stat(real);
    return stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : undefined;
  } catch {
    // Dangling links and those that lead round in a circle lead nowhere.
    return undefined;
  }
}

async function readStart(handle: FileHandle, size: number): Promise<Uint8Array> {
  const bytes = Buffer.alloc(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await handle.read(bytes, length, size - length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}
