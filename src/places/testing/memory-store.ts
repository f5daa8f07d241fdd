import { localStoreOn, type LocalStore } from '../local/local-store.ts';
import { createMemoryBlobs, createMemoryTable } from '../store/memory-table.ts';

/** The store of a folder, for as long as this process lives. */
export function createMemoryStore(): LocalStore {
  return localStoreOn(createMemoryTable(), createMemoryBlobs());
}
