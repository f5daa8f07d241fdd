import type { Table } from './table.ts';

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

  return {
    make,
    get: async (key) => (await find())?.get(key),
    putIfAbsent: async (...put) => (await make()).putIfAbsent(...put),
    putIfVersion: async (...put) => (await make()).putIfVersion(...put),
    async *query(...asked) {
      const table = await find();
      if (table !== undefined) yield* table.query(...asked);
    },
    newest: () => opened?.newest?.() ?? -1,
    delete: async (key) => (await find())?.delete(key),
    close: async () => (await opening)?.close(),
  };
}
