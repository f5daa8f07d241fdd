import type { Item, Table } from '../../src/places/store/table.ts';

/** A unit reads 4 KB with strong consistency; a query is charged for all of its items together (DynamoDB, "Read units"). */
const UNIT_BYTES = 4_096;

/** Beside its value, an item has its keys, a version and two ids of writes. */
const OTHER_BYTES = 150;

/** A table that counts the units that reading takes in DynamoDB. */
export function meteredTable(table: Table): { metered: Table; units: { read: number } } {
  const units = { read: 0 };
  const sizeOf = ({ key, value }: Item) =>
    OTHER_BYTES + Buffer.byteLength(JSON.stringify(value)) + Buffer.byteLength(key.partition + key.sort);
  const charge = (bytes: number) => void (units.read += Math.max(1, Math.ceil(bytes / UNIT_BYTES)));
  const metered: Table = {
    ...table,
    async get(key) {
      const item = await table.get(key);
      charge(item === undefined ? 0 : sizeOf(item));
      return item;
    },
    async *query(...asked) {
      let bytes = 0;
      try {
        for await (const item of table.query(...asked)) {
          bytes += sizeOf(item);
          yield item;
        }
      } finally {
        charge(bytes);
      }
    },
  };
  return { metered, units };
}
