import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../../../src/json.ts';
import type { Item, Key, QueryOptions, Table } from '../../../src/places/store/table.ts';
import { collect } from './table-contract.ts';
import { cases } from '../../fixtures/cases.ts';

/** Any sequence of operations has the answers that a plain map in memory gives. */
export function testTableAgainstModel(open: () => Promise<Table>, runs: number): void {
  test('answers any sequence of operations as a map in memory does', async () => {
    const table = await open();
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 30 }), async (operations) => {
        run++;
        const model = new Model();
        for (const apply of operations) {
          const { actual, expected } = apply(`run ${run} `, table, model);
          expect(await actual).toEqual(expected);
        }
      }),
      { numRuns: cases(runs) },
    );
    await table.close();
  });
}

/** One operation on both, in partitions of this run only. */
type Operation = (run: string, table: Table, model: Model) => { actual: Promise<unknown>; expected: unknown };

class Model {
  readonly #items: Item[] = [];

  get(key: Key): Item | undefined {
    return this.#items.find((item) => item.key.partition === key.partition && item.key.sort === key.sort);
  }

  putIfAbsent(key: Key, value: Json): { written: boolean; item: Item } {
    const present = this.get(key);
    return present ? { written: false, item: present } : { written: true, item: this.#put(key, value) };
  }

  putIfVersion(key: Key, value: Json, version: number): Item | undefined {
    return this.get(key)?.version === version ? this.#put(key, value) : undefined;
  }

  query(partition: string, prefix: string, { reverse = false, limit, after }: QueryOptions): Item[] {
    const found = this.#items
      .filter(({ key }) => key.partition === partition && key.sort.startsWith(prefix))
      .sort((a, b) => Buffer.compare(Buffer.from(a.key.sort), Buffer.from(b.key.sort)));
    const isBehind = ({ key }: Item) => {
      const order = after === undefined ? 0 : Buffer.compare(Buffer.from(key.sort), Buffer.from(after));
      return after === undefined || (reverse ? order < 0 : order > 0);
    };
    return (reverse ? found.reverse() : found).filter(isBehind).slice(0, limit);
  }

  delete(key: Key): void {
    const present = this.get(key);
    if (present) this.#items.splice(this.#items.indexOf(present), 1);
  }

  #put(key: Key, value: Json): Item {
    const item = { key, value, version: (this.get(key)?.version ?? 0) + 1 };
    this.delete(key);
    this.#items.push(item);
    return item;
  }
}

const partition = fc.constantFrom('p', 'pp');
/** Few keys, so that operations meet, and prefixes of each other, so that queries tell them apart. */
const sort = fc.constantFrom('a', 'a#', 'a#1', 'a\u0000', 'b', '\uffff', '😀', '😀x');
const prefix = fc.constantFrom('', 'a', 'a#', '\uffff', '😀');
/** JSON has no -0. */
const value = fc.jsonValue().map((any): Json => JSON.parse(JSON.stringify(any)));
const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.tuple(partition, sort).map(([p, s]): Operation => (run, table, model) => {
    const key = { partition: run + p, sort: s };
    return { actual: table.get(key), expected: model.get(key) };
  }),
  fc.tuple(partition, sort, value).map(([p, s, v]): Operation => (run, table, model) => {
    const key = { partition: run + p, sort: s };
    return { actual: table.putIfAbsent(key, v), expected: model.putIfAbsent(key, v) };
  }),
  fc
    .tuple(partition, sort, value, fc.integer({ min: 1, max: 3 }))
    .map(([p, s, v, version]): Operation => (run, table, model) => {
      const key = { partition: run + p, sort: s };
      return { actual: table.putIfVersion(key, v, version), expected: model.putIfVersion(key, v, version) };
    }),
  fc
    .tuple(
      partition,
      prefix,
      fc.record({ reverse: fc.boolean(), limit: fc.nat({ max: 5 }), after: sort }, { requiredKeys: [] }),
    )
    .map(([p, start, { after, ...rest }]): Operation => (run, table, model) => {
      const options = after?.startsWith(start) ? { ...rest, after } : rest;
      return {
        actual: collect(table.query(run + p, start, options)),
        expected: model.query(run + p, start, options),
      };
    }),
  fc.tuple(partition, sort).map(([p, s]): Operation => (run, table, model) => {
    const key = { partition: run + p, sort: s };
    return { actual: table.delete(key), expected: model.delete(key) };
  }),
);
