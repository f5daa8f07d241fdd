import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
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
    // Devices and pipes could be read for ever; a folder's own error comes from reading it. Opening alone does something
    // to some devices, and lets those go on who wait at the other end of a pipe.
    const stats = statSync(path);
    if (!stats.isFile() && !stats.isDirectory()) throw new ConfigError(`${label}: it is not a regular file`);
    // Not to wait at a pipe that has just taken its place.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const { size } = fstatSync(file);
    if (size > most) throw new ConfigError(`${label}: it has ${size} bytes, at most ${most} are allowed`);
    return readStart(file, size, label);
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
