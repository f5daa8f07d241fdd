import { createHash, randomUUID } from 'node:crypto';
import type { VectorStore } from '../../core/memory/vectors.ts';
import { StoreError } from '../../errors.ts';
import { contentName } from './blob-key.ts';
import type { Blobs } from './blobs.ts';
import { memoryPartition } from './memories.ts';
import { fromItem } from './stored.ts';
import type { Item, Key, Table } from './table.ts';

/** Of the item that says where the vectors of a memory are. */
const VECTORS = 'vectors';

/** How often a blob is looked for that others are replacing. */
const READS = 3;

/** The vectors of memories, and an operator's way to remove them. */
export interface KeptVectors extends VectorStore {
  forget(memory: string, owner: string | undefined): Promise<void>;
}

/**
 * The vectors of each memory as one blob, beside its entries: an item names the blob, and is written with a condition.
 * A blob is written before its item, and removed after the next one's. So an item always names an existing blob, and
 * nobody reads what a process leaves that dies in between.
 * @param table the one that memories are in
 */
export function createMemoryVectors(table: Table, blobs: Blobs): KeptVectors {
  const keyOf = (memory: string, owner: string | undefined): Key => ({
    partition: memoryPartition(memory, owner),
    sort: VECTORS,
  });
  const blobIn = (item: Item) => fromItem<{ blob: string }>(item).blob;

  return {
    async read(memory, owner) {
      for (let attempt = 1; ; attempt++) {
        const item = await table.get(keyOf(memory, owner));
        if (item === undefined) return { text: undefined, version: 0 };
        try {
          return { text: await blobs.get(blobIn(item)), version: item.version };
        } catch (thrown) {
          if (!(thrown instanceof StoreError)) throw thrown;
          // Another process has replaced it meanwhile. One that is lost is made anew.
          if (attempt === READS) return { text: undefined, version: item.version };
        }
      }
    },

    async write(memory, owner, text, version) {
      const key = keyOf(memory, owner);
      const before = version === 0 ? undefined : await table.get(key);
      // No other writer has this blob: whoever loses removes no other one's.
      const blob = `memory/${hashOf(key.partition)}/${randomUUID()}/${contentName(text)}`;
      await blobs.put(blob, text);
      const isWritten =
        version === 0
          ? (await table.putIfAbsent(key, { blob })).written
          : (await table.putIfVersion(key, { blob }, version)) !== undefined;
      const unread = isWritten ? before && blobIn(before) : blob;
      if (unread !== undefined) await blobs.delete(unread);
      return isWritten;
    },

    async forget(memory, owner) {
      const key = keyOf(memory, owner);
      const item = await table.get(key);
      if (item === undefined) return;
      await blobs.delete(blobIn(item));
      await table.delete(key);
    },
  };
}

/** Names of memories may be anything; those of blobs may not. */
function hashOf(partition: string): string {
  return createHash('sha256').update(partition).digest('hex').slice(0, 32);
}
