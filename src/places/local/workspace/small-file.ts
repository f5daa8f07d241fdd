import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { ConfigError } from '../../../errors.ts';
import { fileFault, isMissing } from './file-fault.ts';

/** Files that people write by hand (an agent, a skill, a config) are smaller; beyond this it is the wrong file. */
const MOST_BYTES = 1_000_000;

/**
 * Reads a file that a person wrote by hand, without the thread pool, which takes ten times as long to reach.
 * @param most how many bytes it may have
 * @returns undefined if there is none
 * @throws {ConfigError} if it cannot be read, or is not a regular file; the message starts with `label`
 */
export function readSmallFile(path: string, label: string, most?: number): Promise<Uint8Array | undefined> {
  return new Promise((resolve) => resolve(readSmallFileNow(path, label, most)));
}

/** The same without a promise, for those who cannot wait. */
export function readSmallFileNow(path: string, label: string, most = MOST_BYTES): Uint8Array | undefined {
  let file: number | undefined;
  try {
    // Not to wait at a pipe without a writer.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(file);
    // Devices and pipes could be read for ever; a folder's own error comes from reading it.
    if (!stats.isFile() && !stats.isDirectory()) throw new ConfigError(`${label}: it is not a regular file`);
    if (stats.isFile() && stats.size > most) {
      throw new ConfigError(`${label}: it has ${stats.size} bytes, at most ${most} are allowed`);
    }
    return readStart(file, stats.size, label);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error instanceof ConfigError
      ? error
      : new ConfigError(`${label}: ${fileFault(error)}`, { cause: error });
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** No more than the file system says: files that the kernel makes up, as in /proc, have no size. */
function readStart(file: number, size: number, label: string): Uint8Array {
  // One byte more, to see whether there is anything behind the end.
  const bytes = Buffer.alloc(size + 1);
  let length = 0;
  let read: number;
  do {
    read = readSync(file, bytes, length, bytes.length - length, null);
    length += read;
  } while (read > 0 && length < size);
  if (length > size)
    throw new ConfigError(`${label}: it contains more than the ${size} bytes that its size says`);
  return bytes.subarray(0, length);
}
