import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { observed } from '../../core/events/write.ts';
import { createFeed, type Feed } from '../follow/feed.ts';
import { StoreError } from '../../errors.ts';
import { fileFault } from './workspace/file-fault.ts';
import type { Memories } from '../../core/memory/memories.ts';
import type { VectorStore } from '../../core/memory/vectors.ts';
import type { RunStore } from '../../core/records/ports.ts';
import type { Instant } from '../../core/records/times.ts';
import type { Blobs } from '../store/blobs.ts';
import type { Uploads } from '../uploads.ts';
import { createFolderUploads } from './folder-uploads.ts';
import { createDocuments } from '../store/documents.ts';
import { createFolderBlobs } from './store/folder-blobs.ts';
import { LOCK_FILE, openLmdbTable, TABLE_FILE } from './store/lmdb/table.ts';
import { createLazyTable } from '../store/lazy-table.ts';
import { createMemories } from '../store/memories.ts';
import { createMemoryChores, type MemoryChores } from '../store/memory-chores.ts';
import { createMemoryVectors } from '../store/memory-vectors.ts';
import { checkKind, type EntryKind } from '../store/own-path.ts';
import { createRunStore } from '../store/runs.ts';
import type { Table } from '../store/table.ts';
import { createRunLocks, type RunLocks } from './run-lock.ts';
import { createServing, type Serving } from './serving.ts';

/** The runs and memories of the folder that a command is called in, kept in its `.cadre/`. */
export interface LocalStore {
  runs: RunStore;
  /** Whether a process carries out the tree of this root. */
  isCarriedOut(root: string): Promise<boolean>;
  memories: Memories;
  vectors: VectorStore;
  chores: MemoryChores;
  blobs: Blobs;
  uploads(now: () => Instant): Uploads;
  locks: RunLocks;
  serving: Serving;
  /** The writes through `runs`, and the events of the writers' bus, for those who follow trees here. */
  feed: Feed;
  close(): Promise<void>;
}

/** In the folder that a command is called in. */
export const STORE_FOLDER = '.cadre';

/** Its contents. The table and the blobs look after the entries below their folders. */
const LAYOUT: readonly [string, EntryKind][] = [
  ['', 'folder'],
  ['.gitignore', 'regular file'],
  ['blobs', 'folder'],
  ['store', 'folder'],
  [`store/${TABLE_FILE}`, 'regular file'],
  [`store/${LOCK_FILE}`, 'regular file'],
];

/** Whether anything is kept here, or stands where it would be. */
export function hasLocalStore(cwd: string): boolean {
  return lstatSync(join(cwd, STORE_FOLDER), { throwIfNoEntry: false }) !== undefined;
}

/**
 * Opens the store, and makes it if there is none. Git is told to leave it alone.
 * @throws {StoreError} if nothing can be kept there
 */
export async function openLocalStore(cwd: string): Promise<LocalStore> {
  return storeOver(cwd, await openTable(cwd));
}

/** Opens the store for reading: nothing is made before something is written. */
export async function lookIntoLocalStore(cwd: string): Promise<LocalStore> {
  if (hasLocalStore(cwd)) return openLocalStore(cwd);
  const table = createLazyTable(
    () => openTable(cwd),
    () => hasLocalStore(cwd),
  );
  return storeOver(cwd, table, () => table.make());
}

/** The stores of folders that are open in this process, and by how many. */
const SHARED = new Map<string, { opened: Promise<LocalStore>; users: number }>();

/**
 * Opens the store of a folder for reading, or the one that is open in this process: all who hold it hear what any of
 * them does. It is closed with the last of them.
 */
export async function shareLocalStore(cwd: string): Promise<LocalStore> {
  const shared = SHARED.get(cwd) ?? { opened: lookIntoLocalStore(cwd), users: 0 };
  SHARED.set(cwd, shared);
  shared.users += 1;
  const leave = () => {
    shared.users -= 1;
    if (shared.users === 0) SHARED.delete(cwd);
  };
  try {
    const local = await shared.opened;
    let hasLeft = false;
    return {
      ...local,
      async close() {
        if (hasLeft) return;
        hasLeft = true;
        leave();
        if (shared.users === 0) await local.close();
      },
    };
  } catch (thrown) {
    leave();
    throw thrown;
  }
}

/**
 * A folder that was cloned or unpacked may have links in it.
 * @throws {StoreError} where something else is in the place of a part of the store
 */
export function checkLayout(cwd: string): void {
  for (const [path, kind] of LAYOUT) checkKind(join(cwd, STORE_FOLDER, path), kind);
}

async function openTable(cwd: string): Promise<Table> {
  const folder = join(cwd, STORE_FOLDER);
  // All of it before anything is made or changed.
  checkLayout(cwd);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    closeToOthers(folder);
    ignoreAll(folder);
  } catch (thrown) {
    throw new StoreError(
      `cannot keep runs in ${folder}: ${fileFault(thrown)}; run cadre in a folder in which it may write`,
      {
        cause: thrown,
      },
    );
  }
  return openLmdbTable(join(folder, 'store'));
}

/** @param make makes the folder of the store, which blobs lie in, too; absent: it is there */
function storeOver(cwd: string, table: Table, make: () => Promise<unknown> = async () => {}): LocalStore {
  const files = createFolderBlobs(join(cwd, STORE_FOLDER, 'blobs'));
  const blobs: Blobs = {
    ...files,
    async put(key, text) {
      await make();
      await files.put(key, text);
    },
  };
  return localStoreOn(table, blobs);
}

/** The stores in a table and in blobs of any kind. */
export function localStoreOn(table: Table, blobs: Blobs): LocalStore {
  const locks = createRunLocks(table);
  const feed = createFeed();
  const vectors = createMemoryVectors(table, blobs);
  return {
    runs: observed(createRunStore(table, createDocuments(table, blobs)), feed.wrote),
    feed,
    memories: createMemories(table),
    vectors,
    chores: createMemoryChores(table, vectors),
    isCarriedOut: (root) => locks.isTaken(root),
    blobs,
    uploads: (now) => createFolderUploads(table, blobs, now),
    locks,
    serving: createServing(table),
    close: () => table.close(),
  };
}

/** Prompts and answers are private; a folder of an earlier version, or unpacked, may be open to all users. */
function closeToOthers(path: string): void {
  const folder = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const { mode, uid } = fstatSync(folder);
    if ((mode & 0o077) !== 0 && uid === process.getuid?.()) fchmodSync(folder, 0o700);
  } finally {
    closeSync(folder);
  }
}

/** Has git ignore all of a folder, unless it has a `.gitignore`, which is not followed if it is a link. */
function ignoreAll(folder: string): void {
  try {
    writeFileSync(join(folder, '.gitignore'), '*\n', { flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
