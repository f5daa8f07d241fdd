import { constants, copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { StoreError } from '../../errors.ts';
import { checkLayout, lookIntoLocalStore, STORE_FOLDER, type LocalStore } from './local-store.ts';
import { TABLE_FILE } from './store/lmdb/table.ts';

/**
 * Opens a copy of what a folder's store keeps beside blobs. Opening the store itself writes to it, even for reading.
 * @throws {StoreError} if it cannot be read
 */
export async function openCopiedStore(cwd: string): Promise<LocalStore> {
  checkLayout(cwd);
  const copy = mkdtempSync(join(tmpdir(), 'cadre-'));
  const remove = () => rmSync(copy, { recursive: true, force: true });
  try {
    copyTable(join(cwd, STORE_FOLDER, 'store', TABLE_FILE), join(copy, STORE_FOLDER, 'store', TABLE_FILE));
    const local = await lookIntoLocalStore(copy);
    return {
      ...local,
      async close() {
        await local.close();
        remove();
      },
    };
  } catch (thrown) {
    remove();
    throw thrown;
  }
}

/** Copied again if another process has written to it since: half of a write would be a damaged copy. */
function copyTable(from: string, to: string): void {
  assertNoHoles(from);
  const written = () => statSync(from, { bigint: true, throwIfNoEntry: false })?.mtimeNs;
  for (let before = written(), tries = 0; before !== undefined && tries < MOST_TRIES; tries++) {
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
    const after = written();
    if (after === before) return;
    before = after;
  }
}

const MOST_TRIES = 10;

/**
 * A file of holes, in a folder that came from elsewhere, takes no room until it is copied, and then all that there is.
 * LMDB leaves none; a file system that compresses, or has not written yet what is new, is given its due.
 */
function assertNoHoles(path: string): void {
  const { size, blocks } = statSync(path, { throwIfNoEntry: false }) ?? { size: 0, blocks: 0 };
  if (size < ONE_GIB || blocks * BLOCK_BYTES * MOST_TIMES > size) return;
  throw new StoreError(`${path} is damaged or not a store: it has ${size} bytes, nearly all of them holes`);
}

const ONE_GIB = 2 ** 30;
/** Of `stat`, whatever blocks the file system has. */
const BLOCK_BYTES = 512;
const MOST_TIMES = 100;
