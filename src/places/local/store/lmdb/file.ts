import { randomUUID } from 'node:crypto';
import {
  accessSync,
  appendFileSync,
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  lstatSync,
  mkdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { StoreError } from '../../../../errors.ts';
import { checkKind, openRegularFile } from '../../../store/own-path.ts';
import { readUsedSize } from './meta-pages.ts';
import { isMarkedWhole, markWhole } from './whole-mark.ts';

/**
 * Makes sure that LMDB can open the file. LMDB takes the whole process down (SIGSEGV, SIGBUS) over a file that is not
 * its own, is cut short or damaged, and over a disk with no room for a new one; what is left here, it answers with
 * errors.
 *
 * @throws {StoreError} if the file is not a whole LMDB file
 * @throws the file system's error if the file or its folder cannot be written
 */
export async function prepareLmdbFile(path: string): Promise<void> {
  const folder = dirname(path);
  checkKind(folder, 'folder');
  checkKind(path, 'regular file');
  checkKind(`${path}-lock`, 'regular file');
  mkdirSync(folder, { recursive: true });
  accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  const lockSize = sizeOf(`${path}-lock`);
  const size = sizeOf(path);
  if (lockSize === 0 || size === 0) checkRoom(path);
  if (size === 0) return; // LMDB makes it

  const file = openRegularFile(path, READ_AND_APPEND);
  try {
    if (!readUsedSize(file)) await setTimeout(CREATION_MS);
    const missing = (readUsedSize(file) ?? Infinity) - fstatSync(file).size;
    if (missing > MAX_MISSING_BYTES) {
      throw new StoreError(`${path} is damaged or not a store: move it away, and a new one is created`);
    }
    const isKnown = isMarkedWhole(path, file);
    const damage = isKnown ? undefined : (await import('./check-pages.ts')).findDamage(file);
    if (damage !== undefined) {
      throw new StoreError(
        `${path} is damaged: ${damage}: put it back from a copy, or move it away, and a new one is created`,
      );
    }
    // Reading behind the end of the file is a SIGBUS, and free pages may be there.
    if (missing > 0) appendFileSync(file, new Uint8Array(missing));
    if (missing > 0 || !isKnown) markWhole(path, file);
  } finally {
    closeSync(file);
  }
}

/**
 * The file as LMDB will find it when it writes: always with room. LMDB 3.5.6 survives a write that fails for want of
 * room, but writes the message past the end of its buffer and may go down a little later.
 */
export class LmdbFile {
  readonly #path: string;
  readonly #file: number;
  readonly #beforeGrowth: () => void;
  #size = 0;

  /**
   * @param path of a file that LMDB has opened
   * @param beforeGrowth called each time before the file becomes longer
   */
  constructor(path: string, beforeGrowth: () => void) {
    this.#path = path;
    this.#beforeGrowth = beforeGrowth;
    this.#file = openRegularFile(path, READ_AND_APPEND);
  }

  /**
   * Makes room for a value of so many bytes. Only to be called inside of a write transaction, which keeps others out.
   * @throws the file system's error if there is none
   */
  makeRoom(bytes: number): void {
    const needed = (readUsedSize(this.#file) ?? 0) + bytes + MAX_TREE_BYTES;
    if (needed <= this.#size) return;
    this.#size = fstatSync(this.#file).size;
    if (needed <= this.#size) return;
    this.#beforeGrowth();
    appendFileSync(this.#file, new Uint8Array(needed - this.#size + GROWTH_BYTES));
  }

  /** Waits until the written data have reached the disk, which is then known to be whole. */
  async sync(): Promise<void> {
    await promisify(fdatasync)(this.#file);
    markWhole(this.#path, this.#file);
  }

  close(): void {
    closeSync(this.#file);
  }
}

const READ_AND_APPEND = constants.O_RDWR | constants.O_APPEND;

/** How long another process that is just making the file may take to write its first two pages. */
const CREATION_MS = 100;

/** Two pages of 16 KiB, the largest that platforms have, and the lock file: what LMDB needs for a new file. */
const ROOM_BYTES = 64 * 1024;

/** A file may rightly be short of its last pages while they are free; if it is by more than this, it was cut. */
const MAX_MISSING_BYTES = 16 * 1024 * 1024;

/** The pages that a transaction writes beside the value: copies of the pages above it and the list of free pages. */
const MAX_TREE_BYTES = 256 * 1024;

/** How far ahead the file grows, so that most writes need not make it grow. */
const GROWTH_BYTES = 512 * 1024;

/** 0 if there is none. */
function sizeOf(path: string): number {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats) accessSync(path, constants.R_OK | constants.W_OK);
  return stats?.size ?? 0;
}

function checkRoom(path: string): void {
  const probe = `${path}-room-${randomUUID()}`;
  try {
    writeFileSync(probe, new Uint8Array(ROOM_BYTES), { flag: 'wx' });
  } finally {
    rmSync(probe, { force: true });
  }
}
