import type { Memories } from '../core/memory/memories.ts';
import type { RunReader } from '../core/records/ports.ts';
import type { Run } from '../core/records/run.ts';
import type { MemoryChores } from './store/memory-chores.ts';

/** An operator's chores in a folder or a deployed environment, beside its runs. */
export interface Maintenance {
  memories: Memories;
  chores: MemoryChores;
  records: Pick<RunReader, 'listTrees' | 'opened' | 'run' | 'tree'>;
  /** Of the tokens that name owners; "" where there are none. */
  issuer: string;
  /** What of an owner outlives the removal of memories, one thing a line. */
  remains: readonly string[];
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
