import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConfigError } from '../../../errors.ts';
import { fileFault } from '../../../places/local/workspace/file-fault.ts';

/**
 * Writes a file that is not there yet, with the folders above it.
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
