import { deleteItems, type Table } from './table.ts';

/** A table that may not exist yet: reading then finds nothing in it, and makes nothing; writing makes it. */
export interface LazyTable extends Table {
  /** Makes it, if it is not there. */
  make(): Promise<Table>;
}

/**
 * @param open opens the table, and makes it if there is none
 * @param isThere whether there is one
 */
export function createLazyTable(open: () => Promise<Table>, isThere: () => boolean): LazyTable {
  let opening: Promise<Table> | undefined;
  let opened: Table | undefined;
  const make = () => (opening ??= open().then((table) => (opened = table)));
  const find = async () => (opening !== undefined || isThere() ? make() : undefined);
  /** Until it is open. */
  const before: Omit<Table, 'close' | 'deleteAll' | 'newest'> = {
    get: async (key) => (await find())?.get(key),
    putIfAbsent: async (...put) => (await make()).putIfAbsent(...put),
    putIfVersion: async (...put) => (await make()).putIfVersion(...put),
    async *query(...asked) {
      const table = await find();
      if (table !== undefined) yield* table.query(...asked);
    },
    delete: async (key) => (await find())?.delete(key),
  };

  // From then on nothing stands between it and its callers: promises in between would take as long as a read.
  return {
    make,
    get: (key) => (opened ?? before).get(key),
    putIfAbsent: (...put) => (opened ?? before).putIfAbsent(...put),
    putIfVersion: (...put) => (opened ?? before).putIfVersion(...put),
    query: (...asked) => (opened ?? before).query(...asked),
    newest: () => opened?.newest?.() ?? -1,
    delete: (key) => (opened ?? before).delete(key),
    deleteAll: (keys) => deleteItems(keys, opened ?? before),
    close: async () => (await opening)?.close(),
  };
}
