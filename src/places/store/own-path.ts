import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, type Stats } from 'node:fs';
import { StoreError } from '../../errors.ts';

// Stores on this machine are in their own folders and regular files. A link in place of one leads to foreign files, and
// may have come with a cloned repository; a pipe or a device may answer at any time.

export type EntryKind = 'folder' | 'regular file';

/**
 * Looks at a path without following it.
 * @returns whether anything is there
 * @throws {StoreError} if something of another kind is: a link, above all
 */
export function checkKind(path: string, kind: EntryKind): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  if (kindOf(stats) === kind) return true;
  throw new StoreError(`${path} is ${describe(path, stats)}, not a ${kind}; move it away`);
}

/**
 * Opens a regular file that is there. A link that takes its place after it was looked at is not followed either.
 * @param flags of open(2)
 * @throws {StoreError} if it is no regular file
 * @throws the file system's error if it cannot be opened
 */
export function openRegularFile(path: string, flags: number): number {
  checkKind(path, 'regular file');
  // Not to wait at a pipe without a writer.
  const file = openSync(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw new StoreError(`${path} is not a regular file; move it away`);
}

function kindOf(stats: Stats): EntryKind | undefined {
  if (stats.isDirectory()) return 'folder';
  return stats.isFile() ? 'regular file' : undefined;
}

function describe(path: string, stats: Stats): string {
  if (stats.isSymbolicLink()) return `a link to ${JSON.stringify(readlinkSync(path))}`;
  if (stats.isFIFO()) return 'a pipe';
  if (stats.isSocket()) return 'a socket';
  if (stats.isBlockDevice() || stats.isCharacterDevice()) return 'a device';
  return `a ${kindOf(stats) ?? 'special file'}`;
}
