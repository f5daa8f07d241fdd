import type { Memories } from '../core/memory/memories.ts';
import type { RunReader } from '../core/records/ports.ts';
import type { Run } from '../core/records/run.ts';
import type { ConfigError } from '../errors.ts';
import type { MemoryChores } from './store/memory-chores.ts';

/** An operator's chores in a folder or a deployed environment, beside its runs. */
export interface Maintenance {
  memories: Memories;
  chores: MemoryChores;
  records: Pick<RunReader, 'listTrees' | 'opened' | 'run' | 'tree'>;
  /** Removes the sign-ins of an owner, given by its `ownerKey`. @returns the number of servers */
  forgetSignIns(owner: string): Promise<number>;
  /** Of the tokens that name owners; "" where there are none. */
  issuer: string;
  /** What of an owner outlives the removal of memories, one thing a line. */
  remains: readonly string[];
  close(): Promise<void>;
}

/** Maintenance of a folder, where no expiry removes runs. */
export interface FolderMaintenance extends Maintenance {
  records: RunReader;
  /** What processes were asked for that died before they began it. Nothing lists it. */
  unbegun(): AsyncIterable<Removable>;
  /**
   * Removes runs with everything below them, under the locks of their trees, so that no process takes them up in the
   * meantime. They go in batches, between which others can work. Runs that a process carries stay.
   */
  deleteTrees(tops: AsyncIterable<Removable> | Iterable<Removable>): AsyncIterable<Removal[]>;
}

/** The top of a tree that may have no record: with when it began, or was asked for. */
export type Removable = Pick<Run, 'id' | 'startedAt'>;

/** What became of a run that was to be removed: how many runs went with it, itself included, or why it stays. */
export type Removal =
  { top: Removable; runs: number; fault?: never } | { top: Removable; runs?: never; fault: ConfigError };
