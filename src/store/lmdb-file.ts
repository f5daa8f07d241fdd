import {
  accessSync,
  appendFileSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { StoreError } from '../errors.ts';

/**
 * Makes sure that LMDB can open the file. LMDB takes the whole process down (SIGSEGV, SIGBUS) over a file that is not
 * its own or is cut short, and over a disk with no room for a new one; what is left here, it answers with errors.
 *
 * @throws {StoreError} if the file is not an LMDB file
 * @throws the file system's error if the file or its folder cannot be written
 */
export async function prepareLmdbFile(path: string): Promise<void> {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true });
  accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  const lockSize = sizeOf(`${path}-lock`);
  const size = sizeOf(path);
  if (lockSize === 0 || size === 0) checkRoom(path);
  if (size === 0) return; // LMDB makes it
  const neededSize =
    readNeededSize(path) ?? (await setTimeout(CREATION_MS, undefined)) ?? readNeededSize(path);
  if (neededSize === undefined) {
    throw new StoreError(
      `${path} is damaged or is no store: move it away, and a new one is made in its place`,
    );
  }
  fillUp(path, neededSize);
}

/** How long another process that is just making the file may take to write its first two pages. */
const CREATION_MS = 100;

/** Two pages of 16 KiB, the largest that platforms have, and the lock file: what LMDB needs for a new file. */
const ROOM_BYTES = 64 * 1024;

/** 0 if there is none. */
function sizeOf(path: string): number {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats) accessSync(path, constants.R_OK | constants.W_OK);
  return stats?.size ?? 0;
}

function checkRoom(path: string): void {
  const probe = `${path}-room-${process.pid}`;
  try {
    writeFileSync(probe, new Uint8Array(ROOM_BYTES));
  } finally {
    rmSync(probe, { force: true });
  }
}

/**
 * How long the file must be for all of its pages, from the two headers at the start of its first two pages; undefined
 * if they are not there. Offsets are those of `MDB_page` and `MDB_meta` in LMDB's `mdb.c`, on 64 bits.
 */
function readNeededSize(path: string): number | undefined {
  const file = openSync(path, 'r');
  try {
    const first = readHeader(file, 0);
    const second = first && readHeader(file, first.pageSize);
    return first && second && (Math.max(first.lastPage, second.lastPage) + 1) * first.pageSize;
  } finally {
    closeSync(file);
  }
}

const HEADER_BYTES = 160;
const MAGIC = 0xbeefc0de;
const FORMAT = 2;

function readHeader(file: number, position: number): { pageSize: number; lastPage: number } | undefined {
  const bytes = Buffer.alloc(HEADER_BYTES);
  if (readSync(file, bytes, 0, HEADER_BYTES, position) < HEADER_BYTES) return undefined;
  if (bytes.readUInt32LE(24) !== MAGIC || bytes.readUInt16LE(28) !== FORMAT) return undefined;
  return { pageSize: bytes.readUInt32LE(48), lastPage: Number(bytes.readBigUInt64LE(144)) };
}

/**
 * Reading behind the end of a mapped file is a SIGBUS, reading a page of zeros an error. A file may rightly be short
 * of its last pages while they are free. Appended, not truncated to size: another process may be writing there.
 */
function fillUp(path: string, neededSize: number): void {
  for (let size = sizeOf(path); size < neededSize; size = sizeOf(path)) {
    appendFileSync(path, new Uint8Array(Math.min(neededSize - size, 1024 * 1024)));
  }
}
