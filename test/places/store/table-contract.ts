import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StoreError } from '../../../src/errors.ts';
import type { Item, Key, QueryOptions, Table } from '../../../src/places/store/table.ts';
import { jsonValues } from './json-values.ts';

/** The behaviour of every table. */
export function describeTable(name: string, open: () => Promise<Table>): void {
  describe(name, () => {
    let table: Table;
    let partition: string;
    let partitions = 0;

    beforeAll(async () => {
      table = await open();
    });
    afterAll(() => table.close());

    /** A key in a partition that no other test uses. */
    function keyOf(sort: string): Key {
      return { partition, sort };
    }

    function scenario(title: string, run: () => Promise<void>): void {
      test(title, async () => {
        partition = `partition ${++partitions}`;
        await run();
      });
    }

    async function list(prefix: string, options?: QueryOptions): Promise<string[]> {
      const items = await collect(table.query(partition, prefix, options));
      return items.map(({ key }) => key.sort);
    }

    describe('get and put', () => {
      scenario('gives undefined where there is no item', async () => {
        expect(await table.get(keyOf('a'))).toBeUndefined();
      });

      scenario('writes an item that is absent, with version 1', async () => {
        const item = { key: keyOf('a'), value: { turns: 1 }, version: 1 };
        expect(await table.putIfAbsent(keyOf('a'), { turns: 1 })).toEqual({ written: true, item });
        expect(await table.get(keyOf('a'))).toEqual(item);
      });

      scenario('leaves an item that is there and gives it back', async () => {
        await table.putIfAbsent(keyOf('a'), 'first');
        const item = { key: keyOf('a'), value: 'first', version: 1 };
        expect(await table.putIfAbsent(keyOf('a'), 'second')).toEqual({ written: false, item });
        expect(await table.get(keyOf('a'))).toEqual(item);
      });

      scenario('replaces an item of the expected version and counts the version up', async () => {
        await table.putIfAbsent(keyOf('a'), 'first');
        const second = { key: keyOf('a'), value: 'second', version: 2 };
        expect(await table.putIfVersion(keyOf('a'), 'second', 1)).toEqual(second);
        expect(await table.get(keyOf('a'))).toEqual(second);
      });

      scenario('writes what follows from an item along with it, over whatever is there', async () => {
        const items = (value: string) => [
          { key: keyOf('b'), value },
          { key: keyOf('c'), value },
        ];
        await table.putIfAbsent(keyOf('b'), 'before');
        await table.putIfAbsent(keyOf('a'), 'first', { ahead: items('one') });
        expect(await table.get(keyOf('b'))).toEqual({ key: keyOf('b'), value: 'one', version: 2 });
        expect(await table.get(keyOf('c'))).toEqual({ key: keyOf('c'), value: 'one', version: 1 });
        await table.putIfVersion(keyOf('a'), 'second', 1, { ahead: items('two') });
        expect(await table.get(keyOf('b'))).toEqual({ key: keyOf('b'), value: 'two', version: 3 });
        expect(await list('')).toEqual(['a', 'b', 'c']);
      });

      scenario('removes what follows from an item only with it', async () => {
        await table.putIfAbsent(keyOf('a'), 'first');
        await table.putIfAbsent(keyOf('b'), 'kept');
        const ahead = [{ key: keyOf('b') }];
        expect(await table.putIfVersion(keyOf('a'), 'late', 7, { ahead })).toBeUndefined();
        await table.putIfAbsent(keyOf('a'), 'again', { ahead });
        expect(await list('')).toEqual(['a', 'b']);
        await table.putIfVersion(keyOf('a'), 'second', 1, { ahead });
        expect(await list('')).toEqual(['a']);
      });

      scenario('leaves an item that has moved on', async () => {
        await table.putIfAbsent(keyOf('a'), 'first');
        await table.putIfVersion(keyOf('a'), 'second', 1);
        expect(await table.putIfVersion(keyOf('a'), 'late', 1)).toBeUndefined();
        expect(await table.putIfVersion(keyOf('a'), 'early', 3)).toBeUndefined();
        expect(await table.get(keyOf('a'))).toEqual({ key: keyOf('a'), value: 'second', version: 2 });
      });

      scenario('makes no item where one is to be replaced', async () => {
        expect(await table.putIfVersion(keyOf('a'), 'value', 1)).toBeUndefined();
        expect(await table.get(keyOf('a'))).toBeUndefined();
      });

      scenario('keeps an item that has not expired', async () => {
        const expires = Math.floor(Date.now() / 1000) + 3600;
        await table.putIfAbsent(keyOf('a'), 'first', { expires });
        await table.putIfVersion(keyOf('a'), 'second', 1, { expires: expires + 1 });
        expect(await table.get(keyOf('a'))).toEqual({ key: keyOf('a'), value: 'second', version: 2 });
      });

      scenario('tells keys apart that read the same when joined', async () => {
        await table.putIfAbsent({ partition: `${partition}a`, sort: 'b' }, 1);
        await table.putIfAbsent({ partition, sort: 'ab' }, 2);
        expect((await table.get({ partition: `${partition}a`, sort: 'b' }))?.value).toBe(1);
        expect((await table.get({ partition, sort: 'ab' }))?.value).toBe(2);
      });

      scenario('lets one of 100 writers at once win a key', async () => {
        const results = await Promise.all(
          Array.from({ length: 100 }, (_, writer) => table.putIfAbsent(keyOf('a'), writer)),
        );
        const winners = results.filter(({ written }) => written);
        expect(winners).toHaveLength(1);
        const item = await table.get(keyOf('a'));
        expect(results.map((result) => result.item)).toEqual(results.map(() => item));
        expect(winners[0]?.item).toEqual(item);
      });

      scenario('lets one of 100 writers at once replace a version', async () => {
        await table.putIfAbsent(keyOf('a'), 'first');
        const results = await Promise.all(
          Array.from({ length: 100 }, (_, writer) => table.putIfVersion(keyOf('a'), writer, 1)),
        );
        const winners = results.filter((item) => item !== undefined);
        expect(winners).toEqual([await table.get(keyOf('a'))]);
        expect(winners[0]?.version).toBe(2);
      });
    });

    describe('values', () => {
      test.each(jsonValues)('gives back %s as it was', async (title, value) => {
        const key = { partition: 'values', sort: title };
        await table.putIfAbsent(key, value);
        expect(await table.get(key)).toStrictEqual({ key, value, version: 1 });
        await table.putIfVersion(key, value, 1);
        const item = await table.get(key);
        expect(item).toStrictEqual({ key, value, version: 2 });
        expect(JSON.stringify(item?.value)).toBe(JSON.stringify(value));
      });

      scenario('takes a value of 350,000 bytes and refuses one more, by key and size', async () => {
        await table.putIfAbsent(keyOf('full'), 'x'.repeat(349_998));
        expect((await table.get(keyOf('full')))?.value).toHaveLength(349_998);

        const tooLarge = '€'.repeat(116_666) + 'x';
        const refusal = new StoreError(
          `item "${partition} over" has 350001 bytes as JSON, and the limit is 350000: store long texts as blobs`,
        );
        await expect(table.putIfAbsent(keyOf('over'), tooLarge)).rejects.toThrow(refusal);
        await expect(table.putIfVersion(keyOf('over'), tooLarge, 1)).rejects.toThrow(refusal);
        expect(await table.get(keyOf('over'))).toBeUndefined();
      });
    });

    describe('keys', () => {
      scenario('takes keys up to their full length, in bytes', async () => {
        const key = { partition: '€'.repeat(341) + 'x', sort: '€'.repeat(170) + 'xx' };
        await table.putIfAbsent(key, 'long');
        expect(await table.get(key)).toEqual({ key, value: 'long', version: 1 });
        expect(await collect(table.query(key.partition, key.sort))).toEqual([
          { key, value: 'long', version: 1 },
        ]);
      });

      test.each<[string, Key, string]>([
        ['an empty partition', { partition: '', sort: 's' }, 'partition "" is 0 bytes long'],
        ['an empty sort key', { partition: 'p', sort: '' }, 'sort key "" is 0 bytes long'],
        [
          'a long partition',
          { partition: 'p'.repeat(1025), sort: 's' },
          'is 1025 bytes long: it must have 1 to 1024',
        ],
        [
          'a long sort key',
          { partition: 'p', sort: 'é'.repeat(257) },
          'is 514 bytes long: it must have 1 to 512',
        ],
        [
          'half a surrogate pair',
          { partition: 'p', sort: 'a\ud83d' },
          'sort key "a\\ud83d" contains half a surrogate pair',
        ],
      ])('refuses %s', async (_title, key, message) => {
        await expect(table.get(key)).rejects.toThrow(message);
        await expect(table.putIfAbsent(key, 1)).rejects.toThrow(message);
        await expect(table.putIfVersion(key, 1, 1)).rejects.toThrow(message);
        await expect(table.delete(key)).rejects.toThrow(message);
        await expect(table.delete(key)).rejects.toBeInstanceOf(StoreError);
      });
    });

    describe('query', () => {
      scenario('gives nothing where there is nothing', async () => {
        expect(await list('')).toEqual([]);
        expect(await list('', { reverse: true })).toEqual([]);
      });

      scenario('gives the items under a prefix and no others, whole', async () => {
        for (const sort of ['turn#1', 'turn#2', 'turn', 'turo', 'turn#', 'tur', 'z']) {
          await table.putIfAbsent(keyOf(sort), { sort });
        }
        await table.putIfAbsent({ partition: `${partition}x`, sort: 'turn#9' }, null);
        expect(await collect(table.query(partition, 'turn#'))).toEqual(
          ['turn#', 'turn#1', 'turn#2'].map((sort) => ({ key: keyOf(sort), value: { sort }, version: 1 })),
        );
        expect(await list('')).toEqual(['tur', 'turn', 'turn#', 'turn#1', 'turn#2', 'turo', 'z']);
      });

      scenario('orders by the bytes of UTF-8, where UTF-16 has another order', async () => {
        const inOrder = ['\u0000', '\u0001', ' ', '#', '~', '\u007f', 'é', '€', '\uffff', '😀', '😀#', '😁'];
        for (const sort of inOrder.toReversed()) await table.putIfAbsent(keyOf(sort), null);
        expect(await list('')).toEqual(inOrder);
        expect(await list('', { reverse: true })).toEqual(inOrder.toReversed());
        expect(await list('😀')).toEqual(['😀', '😀#']);
        expect(await list('\uffff')).toEqual(['\uffff']);
        expect(await list('\u0000', { reverse: true })).toEqual(['\u0000']);
      });

      scenario('gives the first or the last few', async () => {
        for (const sort of ['a1', 'a2', 'a3', 'b']) await table.putIfAbsent(keyOf(sort), null);
        expect(await list('a', { limit: 2 })).toEqual(['a1', 'a2']);
        expect(await list('a', { limit: 2, reverse: true })).toEqual(['a3', 'a2']);
        expect(await list('a', { limit: 9 })).toEqual(['a1', 'a2', 'a3']);
        expect(await list('a', { limit: 0 })).toEqual([]);
      });

      scenario('goes on behind a key, whether there is an item or not', async () => {
        for (const sort of ['a1', 'a2', 'a4', 'b']) await table.putIfAbsent(keyOf(sort), null);
        expect(await list('a', { after: 'a1' })).toEqual(['a2', 'a4']);
        expect(await list('a', { after: 'a3', limit: 1 })).toEqual(['a4']);
        expect(await list('a', { after: 'a4' })).toEqual([]);
        expect(await list('a', { after: 'a4', reverse: true })).toEqual(['a2', 'a1']);
        expect(await list('', { after: 'a3', reverse: true, limit: 1 })).toEqual(['a2']);
        expect(await list('a', { after: 'a1', reverse: true })).toEqual([]);
      });

      scenario('goes on over more than a page of 1 MB', async () => {
        const sorts = Array.from({ length: 12 }, (_, index) => `turn#${String(index).padStart(2, '0')}`);
        for (const sort of sorts) await table.putIfAbsent(keyOf(sort), 'x'.repeat(250_000));
        expect(await list('turn#')).toEqual(sorts);
        expect(await list('turn#', { reverse: true })).toEqual(sorts.toReversed());
        expect(await list('turn#', { limit: 7 })).toEqual(sorts.slice(0, 7));
        expect(await list('turn#', { limit: 12 })).toEqual(sorts);
      });

      scenario('may be left at any time, and written under', async () => {
        for (const sort of ['a', 'b', 'c']) await table.putIfAbsent(keyOf(sort), null);
        for await (const { key, version } of table.query(partition, '')) {
          await table.putIfVersion(key, 'seen', version);
          if (key.sort === 'b') break;
        }
        const items = await collect(table.query(partition, ''));
        expect(items.map(({ value }) => value)).toEqual(['seen', 'seen', null]);
      });

      scenario('refuses a prefix that no key can have', async () => {
        await expect(list('\ud83d')).rejects.toThrow('prefix "\\ud83d" contains half a surrogate pair');
        await expect(list('x'.repeat(513))).rejects.toBeInstanceOf(StoreError);
        await expect(collect(table.query('', 'a'))).rejects.toBeInstanceOf(StoreError);
      });
    });

    describe('delete', () => {
      scenario('removes an item, after which its key is free', async () => {
        await table.putIfAbsent(keyOf('a'), 'first');
        await table.putIfVersion(keyOf('a'), 'second', 1);
        await table.delete(keyOf('a'));
        expect(await table.get(keyOf('a'))).toBeUndefined();
        expect(await list('')).toEqual([]);
        const item = { key: keyOf('a'), value: 'third', version: 1 };
        expect(await table.putIfAbsent(keyOf('a'), 'third')).toEqual({ written: true, item });
      });

      scenario('does nothing where there is no item', async () => {
        await table.delete(keyOf('a'));
        expect(await table.get(keyOf('a'))).toBeUndefined();
      });
    });

    describe('close', () => {
      test('refuses every operation from then on', async () => {
        const closed = await open();
        const key = { partition: 'closed', sort: 'a' };
        await closed.putIfAbsent(key, 1);
        await closed.close();
        await closed.close();
        for (const operation of [
          () => closed.get(key),
          () => closed.putIfAbsent(key, 1),
          () => closed.putIfVersion(key, 1, 1),
          () => closed.delete(key),
          () => collect(closed.query('closed', '')),
        ]) {
          await expect(operation()).rejects.toThrow(/ is closed$/);
          await expect(operation()).rejects.toBeInstanceOf(StoreError);
        }
      });

      test('waits for what is under way', async () => {
        const first = await open();
        const keys = Array.from({ length: 20 }, (_, index) => ({ partition: 'under way', sort: `${index}` }));
        const writes = Promise.all(keys.map((key) => first.putIfAbsent(key, 'kept')));
        await first.close();
        expect(await collect(table.query('under way', ''))).toHaveLength(keys.length);
        await writes;
      });
    });
  });
}

export async function collect(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
