import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  unlinkSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { type ByteRange, type FileContent, WorkspaceError } from '../../../core/agent-schema/workspace.ts';
import { PinnedFolder, openInside } from './open-inside.ts';

// Reading, writing and deleting one file of a folder.

/** A path of a workspace: as it was asked for, and where it leads. */
export interface ResolvedPath {
  asked: string;
  root: string;
  real: string;
}

/** Files up to this size are known by their contents; larger ones by what the file system says of them. */
const MAX_HASHED_BYTES = 16 * 1024 ** 2;

export function readFile(path: ResolvedPath, range: ByteRange): FileContent {
  const file = openInside(path.real, path.root, constants.O_RDONLY, path.asked);
  try {
    const stats = fstatSync(file);
    checkRegular(stats, path);
    const { offset = 0, limit = stats.size } = range;
    if (stats.size > MAX_HASHED_BYTES) {
      const bytes = readBytes(file, offset, Math.min(limit, stats.size - offset));
      return { bytes, size: stats.size, version: () => largeVersion(stats) };
    }
    const whole = readBytes(file, 0, stats.size);
    const bytes = whole.subarray(offset, offset + limit);
    return { bytes, size: whole.length, version: () => hashOf(whole) };
  } finally {
    closeSync(file);
  }
}

/** Writes beside the file and moves the result into its place, so that it appears whole or not at all. */
export async function writeFile(
  path: ResolvedPath,
  bytes: Uint8Array,
  expected: string | undefined,
): Promise<string> {
  const { real, root, asked } = path;
  if (real === root) throw new WorkspaceError('folder', asked);
  const above = dirname(real);
  const folder =
    expected === undefined ? PinnedFolder.make(above, root, asked) : PinnedFolder.open(above, root, asked);
  try {
    const target = folder.at(basename(real));
    const before = checkVersion(target, path, expected);
    const temporary = folder.at(`.cadre-${randomUUID()}`);
    try {
      await writeTemporary(temporary, bytes, before);
      // From here on nothing else in this process comes in between.
      checkVersion(target, path, expected);
      if (expected === undefined) create(temporary, target, asked);
      else renameSync(temporary, target);
      return bytes.length > MAX_HASHED_BYTES ? largeVersion(lstatSync(target)) : hashOf(bytes);
    } finally {
      rmSync(temporary, { force: true });
    }
  } finally {
    folder.close();
  }
}

export function deleteFile(path: ResolvedPath, expected: string): void {
  const { real, root, asked } = path;
  if (real === root) throw new WorkspaceError('folder', asked);
  const folder = PinnedFolder.open(dirname(real), root, asked);
  try {
    const target = folder.at(basename(real));
    checkVersion(target, path, expected);
    unlinkSync(target);
  } finally {
    folder.close();
  }
}

/** @returns the existing file's facts; undefined where there is none, as expected */
function checkVersion(target: string, path: ResolvedPath, expected: string | undefined): Stats | undefined {
  const stats = lstatSync(target, { throwIfNoEntry: false });
  if (stats === undefined) {
    if (expected === undefined) return undefined;
    throw new WorkspaceError('missing', path.asked);
  }
  checkRegular(stats, path);
  if (expected === undefined) throw new WorkspaceError('exists', path.asked);
  // Opened for writing too, so that a read-only file is not replaced either.
  const file = openSync(target, constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (versionOf(file, fstatSync(file)) !== expected) throw new WorkspaceError('changed', path.asked);
    return stats;
  } finally {
    closeSync(file);
  }
}

async function writeTemporary(path: string, bytes: Uint8Array, before: Stats | undefined): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.writeFile(bytes);
    if (before !== undefined) {
      // If it cannot be given to its owner, it stays as readable as before.
      await file.chown(before.uid, before.gid).catch(() => undefined);
      await file.chmod(before.mode & 0o777);
    }
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Gives a file its name, if the name is free, in one step: only one of several processes succeeds. */
function create(temporary: string, target: string, asked: string): void {
  try {
    linkSync(temporary, target);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST') throw new WorkspaceError('exists', asked, '', { cause: error });
    // Some file systems have no hard links.
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error;
    renameSync(temporary, target);
  }
}

/** @throws {WorkspaceError} for an entry that is no file, and for one whose contents the kernel makes up on reading */
function checkRegular(stats: Stats, { real, asked }: ResolvedPath): void {
  if (stats.isDirectory()) throw new WorkspaceError('folder', asked);
  if (!stats.isFile() || /^\/(proc|sys)\//.test(real)) throw new WorkspaceError('special', asked);
}

function versionOf(file: number, stats: Stats): string {
  return stats.size > MAX_HASHED_BYTES ? largeVersion(stats) : hashOf(readBytes(file, 0, stats.size));
}

function largeVersion({ size, ino, mtimeMs, ctimeMs }: Stats): string {
  return [size, ino, mtimeMs, ctimeMs].join('-');
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64url');
}

/** @returns fewer bytes than asked for where the file has become shorter */
function readBytes(file: number, offset: number, length: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(Math.max(0, length));
  let filled = 0;
  while (filled < bytes.length) {
    const read = readSync(file, bytes, filled, bytes.length - filled, offset + filled);
    if (read === 0) break;
    filled += read;
  }
  return bytes.subarray(0, filled);
}
