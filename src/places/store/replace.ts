import { StoreUnavailableError } from '../../errors.ts';
import type { Json } from '../../json.ts';
import { MAX_ATTEMPTS } from './contention.ts';
import type { Key, PutOptions, Table } from './table.ts';

/**
 * Writes an item over any other value.
 * @param tooOften the message if others keep writing it
 * @throws {StoreUnavailableError}
 */
export async function replace(
  table: Table,
  key: Key,
  value: Json,
  tooOften: string,
  options?: PutOptions,
): Promise<void> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const { written, item } = await table.putIfAbsent(key, value, options);
    if (written || item.value === value) return;
    if ((await table.putIfVersion(key, value, item.version, options)) !== undefined) return;
  }
  throw new StoreUnavailableError(tooOften);
}
