import { createHash } from 'node:crypto';
import type { MemoryEntry } from '../../core/memory/entry.ts';
import type { Memories } from '../../core/memory/memories.ts';
import { MEMORIES } from './partitions.ts';
import { fromItem, fromStored, toStored } from './stored.ts';
import type { Item, Key, Table } from './table.ts';

/** How the sort keys of entries begin. */
export const ENTRY = 'entry#';
/** Of the mark up to which entries are gone. */
export const MARK = 'trimmed';
/** How those of the names of an owner's memories begin. */
export const NAME = 'name#';

/**
 * How memories lie in the table, which must be one in which nothing expires:
 *
 * | partition        | sort key                                 | what                                          |
 * | ---------------- | ---------------------------------------- | --------------------------------------------- |
 * | `memory#<name>`  | `entry#<time>#<run>`                     | the entry of a run                            |
 * | `memory#<name>`  | `entry#<time>#<run>#<call>`              | what a call of a run saved                    |
 * | `memory#<name>`  | `entry#<time>#<number>-<version>-<hash>` | an imported entry, see `keyed`                |
 * | `memory#<name>`  | `trimmed`                                | up to which key entries are gone, deleted yet or not |
 * | `memory@<owner>` | `name#<name>`                            | an owner's memory of that name, written ahead of its entries |
 *
 * The partition of an owner's memory is `memory@<owner>#<name>`.
 *
 * A trim is one write, that of the mark, and what is gone by it is deleted after. So readers never see half a trim,
 * wherever it is cut short, and the next one deletes what is left. Entries appended meanwhile have keys behind the
 * mark, unless they are older than everything that was to be kept.
 */
export function createMemories(table: Table, owner?: string): NamedMemories {
  const partitionOf = (memory: string) => memoryPartition(memory, owner);
  const markKey = (memory: string): Key => ({ partition: partitionOf(memory), sort: MARK });
  const entryKey = (memory: string, at: string, id: string): Key => ({
    partition: partitionOf(memory),
    sort: `${ENTRY}${at}#${id}`,
  });

  async function name(memory: string): Promise<void> {
    if (owner === undefined) return;
    await table.putIfAbsent({ partition: ownersPartition(owner), sort: NAME + memory }, {});
  }

  async function markOf(memory: string): Promise<Mark> {
    const item = await table.get(markKey(memory));
    if (item === undefined) return { through: '', version: 0 };
    const { through } = fromStored<{ through: string }>(item.value, `the mark of memory "${memory}"`);
    return { through, version: item.version };
  }

  /** @returns false if another process has moved it meanwhile */
  async function moveMark(memory: string, { version }: Mark, through: string): Promise<boolean> {
    const key = markKey(memory);
    if (version === 0) return (await table.putIfAbsent(key, { through })).written;
    return (await table.putIfVersion(key, { through }, version)) !== undefined;
  }

  /** The last items, or all, oldest first: those that are there, and those that are gone and not deleted yet. */
  async function read(memory: string, last: number): Promise<{ mark: Mark; there: Item[]; gone: Item[] }> {
    for (let mark = await markOf(memory); ;) {
      const items: Item[] = [];
      const options = { reverse: true, ...(last > 0 && { limit: last }) };
      for await (const item of table.query(partitionOf(memory), ENTRY, options)) items.push(item);
      items.reverse();
      const { through, version } = mark;
      mark = await markOf(memory);
      // If the mark has moved since, some of these are from before that and some from after it.
      if (mark.version !== version) continue;
      const first = items.findIndex(({ key }) => key.sort > through);
      const gone = first === -1 ? items.length : first;
      return { mark, there: items.slice(gone), gone: items.slice(0, gone) };
    }
  }

  /** Only entries that were read are deleted: an import may bring entries back in their place, under other keys. */
  async function deleteAll(items: readonly Item[]): Promise<void> {
    for (const { key } of items) await table.delete(key);
  }

  return {
    name,

    of: (other) => createMemories(table, other),

    async entries(memory, last) {
      return (await read(memory, last)).there.map(toEntry);
    },

    async kept(memory, last) {
      return (await read(memory, last)).there.map((item) => ({ id: idOf(item.key), ...toEntry(item) }));
    },

    async append(memory, by, entry) {
      await name(memory);
      const key = entryKey(memory, entry.at, by);
      await table.putIfAbsent(key, toStored(entry));
      return idOf(key);
    },

    async forget(memory, id) {
      const wanted = (await read(memory, 0)).there.find(({ key }) => idOf(key) === id);
      if (wanted !== undefined) await table.delete(wanted.key);
      return wanted !== undefined;
    },

    async add(memory, entries) {
      await name(memory);
      for (;;) {
        const { mark, there, gone } = await read(memory, 0);
        const wanted = keyed(entries, mark.version).map(({ at, id, entry }) => ({
          key: entryKey(memory, at, id),
          entry,
        }));
        const missing = without(wanted, there.map(toEntry));
        if (missing.some(({ key }) => key.sort <= mark.through)) {
          // They come back to a place whose other entries are gone, and must not come back with them.
          await deleteAll(gone);
          await moveMark(memory, mark, '');
          continue;
        }
        for (const { key, entry } of missing) await table.putIfAbsent(key, toStored(entry));
        return missing.length;
      }
    },

    async trim(memory, keep) {
      for (;;) {
        const { mark, there, gone } = await read(memory, 0);
        await deleteAll(gone);
        const removed = there.slice(0, -keep);
        const last = removed.at(-1);
        if (last === undefined) return { removed: 0, kept: there.length };
        if (!(await moveMark(memory, mark, last.key.sort))) continue;
        await deleteAll(removed);
        return { removed: removed.length, kept: there.length - removed.length };
      }
    },
  };
}

interface NamedMemories extends Memories {
  /** Notes that an owner has a memory of that name, so that all of an owner's are found. */
  name(memory: string): Promise<void>;
}

interface Mark {
  /** Entries up to this sort key are gone; "" for none. */
  through: string;
  /** 0 where nothing was ever trimmed. */
  version: number;
}

/** @param owner an `ownerKey`; undefined for the account */
export function memoryPartition(memory: string, owner: string | undefined): string {
  return owner === undefined ? `${MEMORIES.ofAccount}${memory}` : `${ownersPartition(owner)}#${memory}`;
}

/** Where the names of an owner's memories are. */
export function ownersPartition(owner: string): string {
  return MEMORIES.ofOwners + owner;
}

interface KeyedEntry {
  key: Key;
  entry: MemoryEntry;
}

/**
 * Entries to import with their keys: those of one second in their order, and a repeated import under the same keys. The
 * mark's version keeps them from keys that another process may still be deleting since an earlier trim; the price is
 * that two imports at the same time may both add an entry, if a trim comes between them.
 */
function keyed(entries: readonly MemoryEntry[], version: number) {
  const numbers = new Map<string, number>();
  return entries.map((entry) => {
    const number = (numbers.get(entry.at) ?? 0) + 1;
    numbers.set(entry.at, number);
    const hash = createHash('sha256').update(contentOf(entry)).digest('hex').slice(0, 12);
    const id = `${String(number).padStart(6, '0')}-${version}-${hash}`;
    return { at: entry.at, id, entry };
  });
}

/** Those that are not among the entries that are there; of several that are the same, as many as are missing. */
function without(wanted: readonly KeyedEntry[], present: readonly MemoryEntry[]): KeyedEntry[] {
  const left = new Map<string, number>();
  for (const entry of present) left.set(contentOf(entry), (left.get(contentOf(entry)) ?? 0) + 1);
  return wanted.filter(({ entry }) => {
    const count = left.get(contentOf(entry)) ?? 0;
    left.set(contentOf(entry), count - 1);
    return count <= 0;
  });
}

function contentOf({ at, task, result }: MemoryEntry): string {
  return JSON.stringify([at, task, result]);
}

/** Short enough for a model to repeat, and of no use in any other memory. */
function idOf({ sort }: Key): string {
  return createHash('sha256').update(sort).digest('hex').slice(0, 12);
}

function toEntry(item: Item): MemoryEntry {
  return fromItem(item);
}
