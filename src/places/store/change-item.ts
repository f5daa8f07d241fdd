import { StoreUnavailableError } from '../../errors.ts';
import { MAX_ATTEMPTS, type BackOff } from './contention.ts';
import { fromItem, toStored } from './stored.ts';
import type { Key, PutOptions, Table } from './table.ts';

interface ChangeOptions extends PutOptions {
  stayAway: BackOff;
  /** The message if others keep writing it. */
  tooOften: string;
}

/**
 * Replaces an item. If another process replaces it first, the change is made again, on what that process wrote.
 * @param change called with undefined if there is no item; returns its argument to change nothing
 * @returns what the change returned last
 * @throws {StoreUnavailableError}
 */
export async function changeItem<Kept extends object, Changed extends Kept | undefined>(
  table: Table,
  key: Key,
  change: (kept: Kept | undefined) => Changed,
  { stayAway, tooOften, ...options }: ChangeOptions,
): Promise<Changed> {
  let item = await table.get(key);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const before = item && fromItem<Kept>(item);
    const after = change(before);
    if (after === undefined || after === before) return after;
    const value = toStored(after);
    if (item === undefined) {
      const put = await table.putIfAbsent(key, value, options);
      if (put.written) return after;
      ({ item } = put);
      continue;
    }
    if ((await table.putIfVersion(key, value, item.version, options)) !== undefined) return after;
    await stayAway(attempt);
    item = await table.get(key);
  }
  throw new StoreUnavailableError(tooOften);
}
