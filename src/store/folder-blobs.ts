import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { StoreError, messageOf } from '../errors.ts';
import { checkBlobKey } from './blob-key.ts';
import { fromBytes, toBytes } from './blob-text.ts';
import type { Blobs } from './blobs.ts';

/**
 * Blobs as files in the folder, one for each key, under the key's own path. A file is there whole or not at all,
 * however the process ends; the disk is not waited for, as in the table that refers to them.
 */
export function createFolderBlobs(folder: string): Blobs {
  return {
    async put(key, text) {
      checkBlobKey(key);
      const path = join(folder, key);
      // No key has a "~", so a temporary file is never taken for a blob.
      const temporary = `${path}~${randomUUID()}`;
      try {
        await mkdir(dirname(path), { recursive: true });
        await writeFile(temporary, toBytes(text).bytes, { mode: 0o600 });
        await rename(temporary, path);
      } catch (error) {
        await rm(temporary, { force: true }).catch(() => undefined); // the first error is the one to tell
        throw new StoreError(
          `cannot write blob "${key}" to ${folder}: ${messageOf(error)}: ` +
            `make sure that the folder is writable and its disk has space`,
          { cause: error },
        );
      }
    },

    async get(key) {
      checkBlobKey(key);
      try {
        return fromBytes(await readRegularFile(join(folder, key)));
      } catch (error) {
        if (isMissing(error)) throw new StoreError(`no blob "${key}" in ${folder}`, { cause: error });
        throw new StoreError(
          `cannot read blob "${key}" in ${folder}: ${messageOf(error)}: make sure that the folder is readable`,
          { cause: error },
        );
      }
    },

    async delete(key) {
      checkBlobKey(key);
      const path = join(folder, key);
      try {
        await rm(path, { force: true });
      } catch (error) {
        throw new StoreError(
          `cannot remove blob "${key}" from ${folder}: ${messageOf(error)}: make sure that the folder is writable`,
          { cause: error },
        );
      }
      await removeEmptyFolders(dirname(path), folder);
    },
  };
}

/** Removes what a blob leaves empty; the first level stays, where others may just be writing. */
async function removeEmptyFolders(path: string, top: string): Promise<void> {
  for (let at = path; at.startsWith(join(top, sep)) && dirname(at) !== top; at = dirname(at)) {
    const removed = await rmdir(at).then(
      () => true,
      () => false, // something is in it
    );
    if (!removed) return;
  }
}

async function readRegularFile(path: string): Promise<Buffer> {
  // Not to wait at a pipe without a writer.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    // A folder's own error comes from reading it.
    if (!stats.isFile() && !stats.isDirectory()) throw new Error('it is not a regular file');
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
