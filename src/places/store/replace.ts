import { StoreUnavailableError } from '../../errors.ts';
import type { Json } from '../../json.ts';
import { MAX_ATTEMPTS } from './contention.ts';
import type { Key, Table } from './table.ts';

/**
 * Writes an item over any other value.
 * @param tooOften the message if others keep writing it
 * @throws {StoreUnavailableError}
 */
export async function replace(table: Table, key: Key, value: Json, tooOften: string): Promise<void> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const { written, item } = await table.putIfAbsent(key, value);
    if (written || item.value === value) return;
    if ((await table.putIfVersion(key, value, item.version)) !== undefined) return;
  }
  throw new StoreUnavailableError(tooOften);
}
