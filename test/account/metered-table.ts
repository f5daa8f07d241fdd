import type { Table } from '../../src/places/store/table.ts';
import { readUnits, sizeOf } from '../../simulate/world/units.ts';

/** A table that counts the units that reading takes in DynamoDB. */
export function meteredTable(table: Table): { metered: Table; units: { read: number } } {
  const units = { read: 0 };
  const charge = (bytes: number) => void (units.read += readUnits(bytes));
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
