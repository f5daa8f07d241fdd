import type { FolderMaintenance } from '../maintenance.ts';
import { lookIntoLocalStore } from './local-store.ts';

/** Opens what an operator maintains in a folder. Reading creates nothing. */
export async function openFolderMaintenance(cwd: string): Promise<FolderMaintenance> {
  const { runs, isCarriedOut, memories, chores, locks, close } = await lookIntoLocalStore(cwd);
  return {
    records: { ...runs, isCarriedOut },
    memories,
    chores,
    issuer: '',
    remains: [
      'runs, until cadre runs --delete removes them',
      'the names of memories, under a hash of the owner',
    ],
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
