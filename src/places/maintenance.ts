import type { Memories } from '../core/memory/memories.ts';
import type { RunReader } from '../core/records/ports.ts';
import type { Run } from '../core/records/run.ts';

/** An operator's chores in a folder or a deployed environment, beside its runs. */
export interface Maintenance {
  memories: Memories;
  close(): Promise<void>;
}

/** Maintenance of a folder, where no expiry removes runs. */
export interface FolderMaintenance extends Maintenance {
  records: RunReader;
  /**
   * Removes a run with everything below it, under the lock of its tree, so that no process takes it up meanwhile.
   * @throws {ConfigError} if a process carries it out
   */
  deleteTree(top: Run): Promise<void>;
}

/**
 * Opens the maintenance of a deployed environment, or of a folder. Reading creates nothing.
 * @param environment `dev`; undefined for the folder
 */
export async function openMaintenance(environment: string | undefined, cwd: string): Promise<Maintenance> {
  if (environment === undefined) return openFolderMaintenance(cwd);
  const { openCloudMaintenance } = await import('./aws/cloud-maintenance.ts');
  return openCloudMaintenance(environment);
}

/** Opens the maintenance of a folder. Reading creates nothing. */
export async function openFolderMaintenance(cwd: string): Promise<FolderMaintenance> {
  const { lookIntoLocalStore } = await import('./local/local-store.ts');
  const { runs, isCarriedOut, memories, locks, close } = await lookIntoLocalStore(cwd);
  return {
    records: { ...runs, isCarriedOut },
    memories,
    async deleteTree({ root }) {
      await locks.take(root, 'delete');
      try {
        await runs.deleteTree(root);
      } finally {
        await locks.release(root);
      }
    },
    close,
  };
}
