import { randomUUID } from 'node:crypto';
import { close, constants, mkdirSync, readFile } from 'node:fs';
import { rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { promisify } from 'node:util';
import { StoreError, messageOf } from '../../../errors.ts';
import { checkBlobKey, checkBlobText } from '../../store/blob-key.ts';
import { fromBytes, toBytes } from '../../store/blob-text.ts';
import type { Blobs } from '../../store/blobs.ts';
import { checkKind, openRegularFile } from '../../store/own-path.ts';

/**
 * Blobs as files in the folder, one for each key, under the key's own path. A file is there whole or not at all,
 * however the process ends; the disk is not waited for, as in the table that refers to them. Links lead nowhere.
 */
export function createFolderBlobs(folder: string): Blobs {
  const notRemoved = (what: string, error: unknown) =>
    error instanceof StoreError
      ? error
      : new StoreError(
          `cannot remove ${what} from ${folder}: ${messageOf(error)}: make sure that the folder is writable`,
          { cause: error },
        );
  return {
    async put(key, text) {
      checkBlobKey(key);
      const path = join(folder, key);
      // No key has a "~", so a temporary file is never taken for a blob.
      const temporary = `${path}~${randomUUID()}`;
      try {
        const write = async () => {
          for (const parent of parentsOf(folder, key)) {
            if (!checkKind(parent, 'folder')) mkdirSync(parent, { recursive: true });
          }
          await writeFile(temporary, toBytes(text).bytes, { mode: 0o600, flag: 'wx' });
        };
        // Whoever removes the last other blob of its folder removes the folder.
        await write().catch((thrown: unknown) => (isMissing(thrown) ? write() : Promise.reject(thrown)));
        await rename(temporary, path);
      } catch (error) {
        await rm(temporary, { force: true }).catch(() => undefined); // the first error is the one to tell
        if (error instanceof StoreError) throw error;
        throw new StoreError(
          `cannot write blob "${key}" to ${folder}: ${messageOf(error)}: ` +
            `make sure that the folder is writable and its disk has space`,
          { cause: error },
        );
      }
    },

    async get(key) {
      checkBlobKey(key);
      let text: string;
      try {
        for (const parent of parentsOf(folder, key)) checkKind(parent, 'folder');
        text = fromBytes(await readRegularFile(join(folder, key)));
      } catch (error) {
        if (error instanceof StoreError) throw error;
        if (isMissing(error)) throw new StoreError(`no blob "${key}" in ${folder}`, { cause: error });
        throw new StoreError(
          `cannot read blob "${key}" in ${folder}: ${messageOf(error)}: make sure that the folder is readable`,
          { cause: error },
        );
      }
      checkBlobText(key, text, `blob "${key}" in ${folder}`);
      return text;
    },

    async delete(key) {
      checkBlobKey(key);
      const path = join(folder, key);
      try {
        for (const parent of parentsOf(folder, key)) checkKind(parent, 'folder');
        await rm(path, { force: true });
      } catch (error) {
        throw notRemoved(`blob "${key}"`, error);
      }
      await removeEmptyFolders(dirname(path), folder);
    },

    async deleteBelow(segments) {
      checkBlobKey(segments);
      const path = join(folder, segments);
      try {
        for (const parent of [...parentsOf(folder, segments), path]) if (!checkKind(parent, 'folder')) return;
        await rm(path, { recursive: true, force: true });
      } catch (error) {
        throw notRemoved(`the blobs of "${segments}"`, error);
      }
    },
  };
}

/** The folders that a blob is in, from the top. */
function parentsOf(folder: string, key: string): string[] {
  const segments = key.split('/').slice(0, -1);
  return [folder, ...segments.map((_, index) => join(folder, ...segments.slice(0, index + 1)))];
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
  const file = openRegularFile(path, constants.O_RDONLY);
  try {
    return await promisify(readFile)(file);
  } finally {
    await promisify(close)(file);
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
