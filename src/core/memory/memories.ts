import type { KeptEntry, MemoryEntry } from './entry.ts';

/**
 * The store of memories, each under a name, its entries in order of time. A read sees a trim whole or not at all, and
 * entries appended during a trim stay.
 */
export interface Memories {
  /**
   * The memories of an owner, which nobody else has.
   * @param owner an `ownerKey`; undefined for the account
   */
  of(owner: string | undefined): Memories;

  /**
   * The last entries, oldest first.
   * @param last how many at most; 0 for all
   */
  entries(memory: string, last: number): Promise<MemoryEntry[]>;

  /** The same with their ids. */
  kept(memory: string, last: number): Promise<KeptEntry[]>;

  /**
   * Appends an entry; repeating it changes nothing. An entry as old as trimmed ones is not added.
   * @param by the run that it is of, or that with the call that saves it
   * @returns its id
   */
  append(memory: string, by: string, entry: MemoryEntry): Promise<string>;

  /** Removes an entry. @returns whether there was one of that id */
  forget(memory: string, id: string): Promise<boolean>;

  /** Adds missing entries, in their order of time. @returns how many were added */
  add(memory: string, entries: readonly MemoryEntry[]): Promise<number>;

  /**
   * Removes all entries but the last ones.
   * @param keep how many stay, at least 1
   */
  trim(memory: string, keep: number): Promise<{ removed: number; kept: number }>;
}

/** The name of an agent's memory. Agents that name the same one, or another agent, share it. */
export function memoryName(agent: string, { path }: { path: string }): string {
  return path.trim() || agent;
}
