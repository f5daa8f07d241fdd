import type { Instant } from '../../core/records/times.ts';
import type { Table } from './table.ts';

/** The table, with items that expire. @param seconds from each write on */
export function expiringTable(table: Table, seconds: number, now: () => Instant): Table {
  const expires = () => Math.ceil(now() / 1000) + seconds;
  return {
    get: (key) => table.get(key),
    putIfAbsent: (key, value, options) => table.putIfAbsent(key, value, { expires: expires(), ...options }),
    putIfVersion: (key, value, version, options) =>
      table.putIfVersion(key, value, version, { expires: expires(), ...options }),
    query: (partition, prefix, options) => table.query(partition, prefix, options),
    delete: (key) => table.delete(key),
    close: () => table.close(),
  };
}
