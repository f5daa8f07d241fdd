import { existsSync, statSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreError, messageOf } from '../errors.ts';
import type { Memories } from '../memory/memories.ts';
import type { KeptRuns } from '../reports/shown-tree.ts';
import type { Blobs } from '../store/blobs.ts';
import { createDocuments } from '../store/documents.ts';
import { createFolderBlobs } from '../store/folder-blobs.ts';
import { openLmdbTable } from '../store/lmdb/table.ts';
import { createMemories } from '../store/memories.ts';
import { createRunStore } from '../store/runs.ts';
import { createRunLocks, type RunLocks } from './run-lock.ts';
import { createServing, type Serving } from './serving.ts';

/** The runs and memories of the folder that a command is called in, kept in its `.cadre/`. */
export interface LocalStore extends KeptRuns {
  memories: Memories;
  blobs: Blobs;
  locks: RunLocks;
  serving: Serving;
  close(): Promise<void>;
}

const FOLDER = '.cadre';

/** Whether anything was ever kept here. */
export function hasLocalStore(cwd: string): boolean {
  return existsSync(join(cwd, FOLDER));
}

/** Opens the store for reading; undefined where nothing was ever kept, since reading creates nothing. */
export async function findLocalStore(cwd: string): Promise<LocalStore | undefined> {
  return hasLocalStore(cwd) ? openLocalStore(cwd) : undefined;
}

/**
 * Opens the store, and makes it if there is none. Git is told to leave it alone.
 * @throws {StoreError} if nothing can be kept there
 */
export async function openLocalStore(cwd: string): Promise<LocalStore> {
  const folder = join(cwd, FOLDER);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) {
    throw new StoreError(`cannot keep runs in ${folder}: it is not a folder; move it away`);
  }
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // Prompts and answers are nobody else's to read; one made by an earlier version, or unpacked, may be open.
    const { mode, uid } = statSync(folder);
    if ((mode & 0o077) !== 0 && uid === process.getuid?.()) await chmod(folder, 0o700);
    if (!existsSync(join(folder, '.gitignore'))) await writeFile(join(folder, '.gitignore'), '*\n');
  } catch (thrown) {
    throw new StoreError(
      `cannot keep runs in ${folder}: ${messageOf(thrown)}; run cadre in a folder in which it may write`,
      {
        cause: thrown,
      },
    );
  }
  const table = await openLmdbTable(join(folder, 'store'));
  const blobs = createFolderBlobs(join(folder, 'blobs'));
  const locks = createRunLocks(table);
  return {
    runs: createRunStore(table, createDocuments(table, blobs)),
    memories: createMemories(table),
    isCarriedOut: (root) => locks.isHeld(root),
    blobs,
    locks,
    serving: createServing(table),
    close: () => table.close(),
  };
}
