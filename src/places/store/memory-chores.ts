import { isRunId } from '../../core/records/run-id.ts';
import { createMemories, ENTRY, MARK, memoryPartition, NAME, ownersPartition } from './memories.ts';
import type { KeptVectors } from './memory-vectors.ts';
import { fromItem } from './stored.ts';
import type { Item, Table } from './table.ts';

/** The run whose entry it is; undefined: it was imported, and nothing says whose it was. */
type RunOfEntry = string | undefined;

/** An operator's chores with memories of owners, beside what agents do with them. Owners go by their `ownerKey`. */
export interface MemoryChores {
  /** The names of an owner's memories. */
  named(owner: string): Promise<string[]>;

  /**
   * Moves entries of the account's memory of that name to their owners.
   * @param ownerOf undefined for entries that stay
   */
  assign(
    memory: string,
    ownerOf: (run: string) => Promise<string | undefined>,
  ): Promise<{ moved: number; stay: number }>;

  /**
   * Removes an owner's memory, with trimmed entries that are still stored. Its name stays, so that a later call finds
   * what a run has added since, or what this call left if it was cut short.
   * @returns whose entries they were
   */
  forget(memory: string, owner: string): Promise<RunOfEntry[]>;

  /** Removes entries of the account's memory of that name. @returns whose they were */
  forgetOf(memory: string, isMeant: (run: string) => Promise<boolean>): Promise<RunOfEntry[]>;
}

/**
 * @param table the one that memories are in
 * @param vectors of what stays, they are made anew
 */
export function createMemoryChores(table: Table, vectors: Pick<KeptVectors, 'forget'>): MemoryChores {
  async function entriesOf(partition: string): Promise<Item[]> {
    const items: Item[] = [];
    for await (const item of table.query(partition, ENTRY)) items.push(item);
    return items;
  }

  async function throughOf(partition: string): Promise<string> {
    const mark = await table.get({ partition, sort: MARK });
    return mark === undefined ? '' : fromItem<{ through: string }>(mark).through;
  }

  /** Written there before it is removed here, so that an entry is never in neither. */
  async function move({ key, value }: Item, memory: string, owner: string): Promise<void> {
    const partition = memoryPartition(memory, owner);
    const own = createMemories(table, owner);
    if (key.sort <= (await throughOf(partition))) {
      // Behind the owner's mark it would be gone.
      await own.add(memory, [fromItem({ key, value })]);
    } else {
      await own.name(memory);
      await table.putIfAbsent({ partition, sort: key.sort }, value);
    }
    await table.delete(key);
  }

  return {
    async named(owner) {
      const names: string[] = [];
      for await (const { key } of table.query(ownersPartition(owner), NAME)) {
        names.push(key.sort.slice(NAME.length));
      }
      return names;
    },

    async assign(memory, ownerOf) {
      const partition = memoryPartition(memory, undefined);
      const [entries, through] = await Promise.all([entriesOf(partition), throughOf(partition)]);
      let moved = 0;
      const there = entries.filter(({ key }) => key.sort > through);
      for (const entry of there) {
        const run = runOf(entry);
        const owner = run && (await ownerOf(run));
        if (owner === undefined) continue;
        await move(entry, memory, owner);
        moved += 1;
      }
      if (moved > 0) await vectors.forget(memory, undefined);
      return { moved, stay: there.length - moved };
    },

    async forget(memory, owner) {
      const partition = memoryPartition(memory, owner);
      const entries = await entriesOf(partition);
      for (const { key } of entries) await table.delete(key);
      await table.delete({ partition, sort: MARK });
      await vectors.forget(memory, owner);
      return entries.map(runOf);
    },

    async forgetOf(memory, isMeant) {
      const gone: RunOfEntry[] = [];
      for (const entry of await entriesOf(memoryPartition(memory, undefined))) {
        const run = runOf(entry);
        if (run === undefined || !(await isMeant(run))) continue;
        // First, as a repetition finds no entry to forget any more.
        if (gone.length === 0) await vectors.forget(memory, undefined);
        await table.delete(entry.key);
        gone.push(run);
      }
      return gone;
    },
  };
}

function runOf({ key }: Item): RunOfEntry {
  const id = key.sort.split('#')[2] ?? '';
  return isRunId(id) ? id : undefined;
}
