import type { Run } from '../../core/records/run.ts';
import type { LocalStore } from './local-store.ts';

/**
 * Removes the tree of this run, under its lock, so that nobody takes it up meanwhile.
 * @throws {ConfigError} if a process carries it out
 */
export async function deleteLocalRun({ root }: Run, { runs, locks }: LocalStore): Promise<void> {
  await locks.take(root, 'delete');
  try {
    await runs.deleteTree(root);
  } finally {
    await locks.release(root);
  }
}
