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
 * Replaces an item, unless another process does so meanwhile: then the change is made of what that has written.
 * @param change called with undefined where there is none; leaves it as it is by returning what it was given
 * @returns what the change has returned last
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
