import { readFileSync, statSync } from 'node:fs';
import { ConfigError } from '../errors.ts';
import { fileFault, isMissing } from './file-fault.ts';

/** What people write by hand (an agent, a skill, a config) is smaller; beyond this it is the wrong file. */
const MAX_BYTES = 1_000_000;

/**
 * Reads a file that somebody wrote by hand. Such a file is read ten times faster than the thread pool is reached.
 * @returns undefined if there is none
 * @throws {ConfigError} if there is one that cannot be read; its message starts with `label`
 */
export async function readSmallFile(path: string, label: string): Promise<Uint8Array | undefined> {
  try {
    const stats = statSync(path);
    // Devices and pipes could be read for ever; a folder's own error comes from reading it.
    if (!stats.isFile() && !stats.isDirectory()) throw new ConfigError(`${label}: it is not a regular file`);
    if (stats.isFile() && stats.size > MAX_BYTES) {
      throw new ConfigError(`${label}: it has ${stats.size} bytes, at most ${MAX_BYTES} are allowed`);
    }
    return readFileSync(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error instanceof ConfigError
      ? error
      : new ConfigError(`${label}: ${fileFault(error)}`, { cause: error });
  }
}
