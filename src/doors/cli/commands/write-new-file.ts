import { lstatSync, type Stats } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConfigError } from '../../../errors.ts';
import { fileFault } from '../../../places/local/workspace/file-fault.ts';

/**
 * Writes a new file, with the folders above it.
 * @param what it is, for the error
 * @returns false if something is there, which stays as it is
 * @throws {ConfigError} if it cannot be written
 */
export async function writeNewFile(path: string, text: string, what?: string): Promise<boolean> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text, { flag: 'wx' });
    return true;
  } catch (error) {
    const isThere =
      error instanceof Error &&
      'code' in error &&
      error.code === 'EEXIST' &&
      'path' in error &&
      error.path === path;
    if (isThere) return false;
    const named = what === undefined ? path : `${what} ${path}`;
    throw new ConfigError(`failed to write ${named}: ${fileFault(error)}`, { cause: error });
  }
}

/**
 * Checks what a file would replace: a link would lead to another file, and a pipe would wait for its reader.
 * @param label what the error begins with
 * @throws {ConfigError} unless there is a regular file or nothing, as far as that can be seen
 */
export function assertOverwritable(path: string, label: string): void {
  let stats: Stats | undefined;
  try {
    stats = lstatSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    throw new ConfigError(`${label}: ${fileFault(cause)}`, { cause });
  }
  if (stats?.isFile() === false)
    throw new ConfigError(`${label}: it is there already, and is not a regular file`);
}
