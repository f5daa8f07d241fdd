import { askedAt } from '../../core/records/run-id.ts';
import type { FolderMaintenance, Removal, Removable } from '../maintenance.ts';
import { lookIntoLocalStore } from './local-store.ts';
import { unlessCarried } from './run-lock.ts';

/** So many trees are locked at a time, and are gone a few milliseconds later. */
const DELETED_AT_ONCE = 32;

/** Opens what an operator maintains in a folder. Reading creates nothing. */
export async function openFolderMaintenance(cwd: string): Promise<FolderMaintenance> {
  const { runs, isCarriedOut, memories, chores, locks, close } = await lookIntoLocalStore(cwd);
  return {
    records: { ...runs, isCarriedOut },
    memories,
    chores,
    // The person whose machine it is signs in here, and no owner of runs.
    forgetSignIns: async () => 0,
    issuer: '',
    remains: [
      'runs, until cadre runs --delete removes them',
      'the names of memories, under a hash of the owner',
    ],
    async *unbegun() {
      for (const id of await locks.left()) {
        if ((await runs.run(id)) === undefined) yield { id, startedAt: askedAt(id) };
      }
    },
    async *deleteTrees(tops) {
      for await (const some of inParts(tops, DELETED_AT_ONCE)) {
        const taken: Removable[] = [];
        const removals: Removal[] = [];
        try {
          for (const top of some) {
            const { fault } = await unlessCarried(() => locks.take(top.id, 'delete'));
            if (fault === undefined) taken.push(top);
            else removals.push({ top, fault });
          }
          const counts = await runs.deleteTrees(taken.map(({ id }) => id));
          for (const [index, top] of taken.entries()) removals.push({ top, runs: counts[index] ?? 0 });
          yield removals;
        } finally {
          await locks.release(...taken.map(({ id }) => id));
        }
      }
    },
    close,
  };
}

async function* inParts<T>(all: AsyncIterable<T> | Iterable<T>, length: number): AsyncGenerator<T[]> {
  let part: T[] = [];
  for await (const each of all) {
    part.push(each);
    if (part.length < length) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}
