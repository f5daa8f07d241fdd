import { constants, copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
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
