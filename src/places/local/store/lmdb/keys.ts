import type { Key } from '../../../store/table.ts';

/** A key as lmdb is given it; with a third part, the place behind all keys whose sort key begins like this one's. */
export type LmdbKey = [partition: string, sort: string] | [partition: string, sort: string, isBehind: true];

export function toLmdbKey({ partition, sort }: Key): LmdbKey {
  return [partition, sort];
}

/** No UTF-8 has such a byte. */
const BEHIND = 0xff;

/**
 * How keys lie in the file: the length of the partition in two bytes, the partition, the sort key. In one partition,
 * LMDB's order of bytes is then the order of the sort keys' UTF-8, and no two keys share their bytes.
 */
export const keyEncoder = {
  /** @returns where the key ends */
  writeKey(key: LmdbKey, target: Buffer, start: number): number {
    const partition = key[0];
    const sort = key[1];
    const length = target.write(partition, start + 2);
    target[start] = length >> 8;
    target[start + 1] = length & 0xff;
    const end = start + 2 + length + target.write(sort, start + 2 + length);
    if (key.length === 2) return end;
    target[end] = BEHIND;
    return end + 1;
  },

  readKey(source: Buffer, start: number, end: number): LmdbKey {
    const sortAt = start + 2 + source.readUInt16BE(start);
    return [source.toString('utf8', start + 2, sortAt), source.toString('utf8', sortAt, end)];
  },
};
