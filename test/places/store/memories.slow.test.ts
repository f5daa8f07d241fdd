import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { StoreError } from '../../../src/errors.ts';
import type { MemoryEntry } from '../../../src/core/memory/entry.ts';
import type { Memories } from '../../../src/core/memory/memories.ts';
import { ownerKey } from '../../../src/core/records/owner.ts';
import { createMemories } from '../../../src/places/store/memories.ts';
import { createMemoryChores, type MemoryChores } from '../../../src/places/store/memory-chores.ts';
import type { Table } from '../../../src/places/store/table.ts';
import { cases } from '../../fixtures/cases.ts';
import { latch } from '../../fixtures/stage.ts';
import { collect } from './table-contract.ts';
import { bothTables } from '../../fixtures/both-tables.ts';

const { inLmdb, inDynamoDb } = bothTables();

/** The entry of a minute of one hour. */
function entry(minute: number, result = `result ${minute}`): MemoryEntry {
  return { at: `2026-01-31T10:${String(minute).padStart(2, '0')}:00Z`, task: 'go', result };
}

function runOf(minute: number): string {
  return `top-000000000000${String(minute).padStart(2, '0')}`;
}

async function fill(memories: Memories, memory: string, minutes: readonly number[]): Promise<void> {
  for (const minute of minutes) await memories.append(memory, runOf(minute), entry(minute));
}

async function resultsOf(memories: Memories, memory: string, last = 0): Promise<string[]> {
  return (await memories.entries(memory, last)).map(({ result }) => result.replace('result ', ''));
}

const NO_VECTORS = { forget: async () => {} };

let made = 0;
/** A name that no other test has. */
const newName = () => `memory ${++made}`;

const ADA = ownerKey('https://login.example.org', 'ada');
const BOB = ownerKey('https://login.example.org', 'bob');

describe.each([
  ['LMDB', inLmdb],
  ['DynamoDB', inDynamoDb],
])('memories in %s', (_, open) => {
  test('are of one owner each, and another’s of the same name is another memory', async () => {
    const [memories, name] = [createMemories(await open()), newName()];
    await fill(memories, name, [1]);
    await fill(memories.of(ADA), name, [2, 3]);
    await fill(memories.of(BOB), name, [4]);
    const all = [memories, memories.of(ADA), memories.of(BOB), memories.of(undefined)];
    expect(await Promise.all(all.map((each) => resultsOf(each, name)))).toEqual([
      ['1'],
      ['2', '3'],
      ['4'],
      ['1'],
    ]);
    await memories.of(ADA).trim(name, 1);
    expect(await resultsOf(memories.of(ADA), name)).toEqual(['3']);
    expect(await resultsOf(memories, name)).toEqual(['1']);
  });

  test('are assigned to the owners of their runs, once, also behind what an owner has trimmed', async () => {
    const table = await open();
    const [memories, chores, name] = [
      createMemories(table),
      createMemoryChores(table, NO_VECTORS),
      newName(),
    ];
    await fill(memories, name, [1, 2, 3, 4]);
    await memories.add(name, [entry(5)]);
    await fill(memories.of(ADA), name, [3, 6]);
    await memories.of(ADA).trim(name, 1);
    const owners = new Map([
      [runOf(1), ADA],
      [runOf(2), BOB],
      [runOf(3), ADA],
    ]);
    const ownerOf = async (run: string) => owners.get(run);
    expect(await chores.assign(name, ownerOf)).toEqual({ moved: 3, stay: 2 });
    expect(await chores.assign(name, ownerOf)).toEqual({ moved: 0, stay: 2 });
    expect(await resultsOf(memories, name)).toEqual(['4', '5']);
    expect(await resultsOf(memories.of(ADA), name)).toEqual(['1', '3', '6']);
    expect(await resultsOf(memories.of(BOB), name)).toEqual(['2']);
  });

  test('of an owner are forgotten completely, and nobody else’s', async () => {
    const table = await open();
    const [memories, chores] = [createMemories(table), createMemoryChores(table, NO_VECTORS)];
    const [name, other, carol] = [newName(), newName(), ownerKey('', newName())];
    await fill(memories.of(carol), name, [1, 2, 3]);
    await memories.of(carol).trim(name, 1);
    await fill(memories.of(carol), other, [4]);
    await fill(memories.of(BOB), name, [5]);
    await fill(memories, name, [6, 7]);
    expect(await chores.named(carol)).toEqual([name, other].sort());
    expect(await chores.forget(name, carol)).toEqual([runOf(3)]);
    expect(await chores.forget(other, carol)).toEqual([runOf(4)]);
    expect(await chores.forgetOf(name, async (run) => run === runOf(6))).toEqual([runOf(6)]);
    for (const partition of [`memory@${carol}#${name}`, `memory@${carol}#${other}`]) {
      expect(await collect(table.query(partition, ''))).toEqual([]);
    }
    expect(await resultsOf(memories.of(BOB), name)).toEqual(['5']);
    expect(await resultsOf(memories, name)).toEqual(['7']);
  });

  test('have an id for each entry, by which one is removed, and no other memory’s', async () => {
    const [memories, name, other] = [createMemories(await open()), newName(), newName()];
    const ids: string[] = [];
    for (const minute of [1, 2])
      ids.push(await memories.append(name, `${runOf(minute)}#t1c1`, entry(minute)));
    ids.push(await memories.append(name, `${runOf(2)}#t1c2`, entry(2)));
    expect(await memories.append(name, `${runOf(1)}#t1c1`, entry(1, 'again'))).toBe(ids[0]);
    await fill(memories, other, [3]);
    const [first, ...others] = [entry(1), entry(2), entry(2)].map((each, index) => ({
      id: ids[index],
      ...each,
    }));
    expect(await memories.kept(name, 0)).toEqual([first, ...others]);
    expect(await memories.kept(name, 2)).toEqual(others);
    expect(await memories.forget(other, ids[0] ?? '')).toBe(false);
    expect(await memories.of(ADA).forget(name, ids[0] ?? '')).toBe(false);
    expect([await memories.forget(name, ids[0] ?? ''), await memories.forget(name, ids[0] ?? '')]).toEqual([
      true,
      false,
    ]);
    expect(await memories.kept(name, 0)).toEqual(others);
    expect(await resultsOf(memories, other)).toEqual(['3']);
  });

  test('are in order of time, independent of the order of writes, and give their last entries', async () => {
    const [memories, name] = [createMemories(await open()), newName()];
    await fill(memories, name, [3, 1, 2]);
    expect(await memories.entries(name, 0)).toEqual([entry(1), entry(2), entry(3)]);
    expect(await memories.entries(name, 2)).toEqual([entry(2), entry(3)]);
    expect(await memories.entries(name, 9)).toEqual([entry(1), entry(2), entry(3)]);
    expect(await memories.entries(`${name}#entry`, 0)).toEqual([]);
  });

  test('keep the entry of a run once, and those of all runs that end together', async () => {
    const [memories, name] = [createMemories(await open()), newName()];
    await Promise.all(
      Array.from({ length: 20 }, (__, run) =>
        memories.append(name, runOf(run % 10), entry(5, `${run % 10}`)),
      ),
    );
    expect(await resultsOf(memories, name)).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
  });

  test('are trimmed to their last entries, and what was trimmed stays away', async () => {
    const [memories, name] = [createMemories(await open()), newName()];
    await fill(memories, name, [1, 2, 3, 4, 5]);
    expect(await memories.trim(name, 5)).toEqual({ removed: 0, kept: 5 });
    expect(await memories.trim(name, 2)).toEqual({ removed: 3, kept: 2 });
    await fill(memories, name, [3, 6]);
    expect(await resultsOf(memories, name)).toEqual(['4', '5', '6']);
    expect(await resultsOf(memories, name, 1)).toEqual(['6']);
    expect(await memories.trim(name, 1)).toEqual({ removed: 2, kept: 1 });
    expect(await memories.trim(newName(), 1)).toEqual({ removed: 0, kept: 0 });
  });

  test('take in what is not there yet, once, in its place in time', async () => {
    const [memories, name] = [createMemories(await open()), newName()];
    await fill(memories, name, [2, 4]);
    const imported = [entry(1), entry(3, 'b'), entry(3, 'a'), entry(3, 'a'), entry(4)];
    expect(await memories.add(name, imported)).toBe(4);
    expect(await memories.add(name, imported)).toBe(0);
    expect(await resultsOf(memories, name)).toEqual(['1', '2', 'b', 'a', 'a', '4']);
  });

  test('take back what was trimmed, and nothing else with it', async () => {
    const [memories, name] = [createMemories(await open()), newName()];
    await fill(memories, name, [1, 2, 3, 4]);
    const before = await memories.entries(name, 0);
    await memories.trim(name, 1);
    await fill(memories, name, [2]);
    expect(await memories.add(name, [entry(1), entry(3)])).toBe(2);
    expect(await resultsOf(memories, name)).toEqual(['1', '3', '4']);
    await memories.trim(name, 1);
    expect(await memories.add(name, before)).toBe(3);
    expect(await memories.entries(name, 0)).toEqual(before);
  });

  test('show a trim whole that was cut short, and the next one clears up', async () => {
    const [table, name] = [await open(), newName()];
    const memories = createMemories(table);
    await fill(memories, name, [1, 2, 3, 4, 5]);
    let deletes = 0;
    const dying = createMemories({
      ...bound(table),
      delete: (key) => (++deletes > 1 ? Promise.reject(new StoreError('gone')) : table.delete(key)),
    });
    await expect(dying.trim(name, 2)).rejects.toThrow('gone');
    const items = async () => (await collect(table.query(`memory#${name}`, 'entry#'))).length;
    expect(await items()).toBe(4);
    expect(await resultsOf(memories, name)).toEqual(['4', '5']);
    expect(await memories.trim(name, 2)).toEqual({ removed: 0, kept: 2 });
    expect(await items()).toBe(2);
  });
});

test('an entry that comes back while a trim is still deleting it stays', async () => {
  const [table, name] = [await inLmdb(), newName()];
  const memories = createMemories(table);
  await memories.add(name, [entry(1), entry(2), entry(3)]);
  const [deletes, goes] = [latch(), latch()];
  const slow = createMemories({
    ...itemwise(table, async () => {}),
    async delete(key) {
      deletes.open();
      await goes.opened;
      await table.delete(key);
    },
  });
  const trimming = slow.trim(name, 1);
  await deletes.opened;
  expect(await memories.add(name, [entry(1), entry(2)])).toBe(2);
  goes.open();
  expect(await trimming).toEqual({ removed: 2, kept: 1 });
  expect(await resultsOf(memories, name)).toEqual(['1', '2', '3']);
});

describe('users of one memory agree, in any order of their reads and writes', () => {
  const NAMES = ['1', '2', '3', '4', '5', '6'];

  test('none adds an entry of an owner that a later removal does not find', async () => {
    const table = await inLmdb();
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const [name, owner] = [newName(), ownerKey('', newName())];
        await fill(createMemories(table, owner), name, [1]);
        const busy = scheduled(table, scheduler);
        const forget = async (chores: MemoryChores) => {
          for (const each of await chores.named(owner)) await chores.forget(each, owner);
        };
        await scheduler.waitFor(
          Promise.all([
            fill(createMemories(busy, owner), name, [2, 3]),
            createMemories(busy, owner).add(name, [entry(4)]),
            forget(createMemoryChores(busy, NO_VECTORS)),
          ]),
        );
        await forget(createMemoryChores(table, NO_VECTORS));
        expect(await resultsOf(createMemories(table, owner), name)).toEqual([]);
      }),
      { numRuns: cases(100) },
    );
  });

  test('sees each trim whole, and loses nothing that was to be kept', async () => {
    const table = await inLmdb();
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.integer({ min: 1, max: 7 }), async (scheduler, keep) => {
        const name = newName();
        await fill(createMemories(table), name, [1, 2, 3, 4, 5, 6]);
        const memories = createMemories(scheduled(table, scheduler));
        const [, , first, second, ...reads] = await scheduler.waitFor(
          Promise.all([
            fill(memories, name, [10]),
            fill(memories, name, [12, 11]),
            memories.trim(name, keep),
            memories.trim(name, keep + 1),
            resultsOf(memories, name),
            resultsOf(memories, name),
          ]),
        );
        const after = await resultsOf(createMemories(table), name);
        expect(after).toEqual([...NAMES, '10', '11', '12'].slice(-after.length));
        expect(after.length).toBeGreaterThanOrEqual(keep);
        const trims = [0, first.removed, second.removed, first.removed + second.removed];
        for (const read of reads) {
          const old = read.filter((result) => NAMES.includes(result));
          expect(trims.map((removed) => NAMES.slice(removed))).toContainEqual(old);
        }
      }),
      { numRuns: cases(60) },
    );
  });

  test('finds what is imported while others trim, as far as it was to be kept', async () => {
    const table = await inLmdb();
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.integer({ min: 1, max: 7 }), async (scheduler, keep) => {
        const name = newName();
        const before = createMemories(table);
        await fill(before, name, [1, 2, 3, 4, 5, 6]);
        await before.trim(name, 3);
        const memories = createMemories(scheduled(table, scheduler));
        const imported = [entry(1), entry(2), entry(4), entry(5, 'other')];
        await scheduler.waitFor(
          Promise.all([
            memories.add(name, imported),
            memories.trim(name, keep),
            fill(memories, name, [7]),
            memories.trim(name, keep),
          ]),
        );
        const after = await resultsOf(before, name);
        const all = ['1', '2', '4', 'other', '5', '6', '7'];
        expect(after.filter((result, index) => after.indexOf(result) !== index)).toEqual([]);
        expect(after).toEqual(all.filter((result) => after.includes(result)));
        expect(after).toEqual(expect.arrayContaining(all.slice(-keep)));
      }),
      { numRuns: cases(60) },
    );
  });
});

/** The table's methods, to replace some of them. */
function bound(table: Table): Table {
  return {
    get: (key) => table.get(key),
    putIfAbsent: (...given) => table.putIfAbsent(...given),
    putIfVersion: (...given) => table.putIfVersion(...given),
    query: (...given) => table.query(...given),
    delete: (key) => table.delete(key),
    close: () => table.close(),
  };
}

/** The table, with queries that read one item at a time, as pages may be as small; waits before each. */
function itemwise(table: Table, turn: () => Promise<void>): Table {
  return {
    ...bound(table),
    async *query(partition, prefix, options = {}) {
      let after: { after?: string } = {};
      for (let left = options.limit ?? Infinity; left > 0; left--) {
        await turn();
        const [item] = await collect(table.query(partition, prefix, { ...options, ...after, limit: 1 }));
        if (item === undefined) return;
        yield item;
        after = { after: item.key.sort };
      }
    },
  };
}

/** The table, with every access in its turn. */
function scheduled(table: Table, scheduler: fc.Scheduler): Table {
  const turn = () => scheduler.schedule(Promise.resolve());
  return {
    ...itemwise(table, turn),
    get: (key) => turn().then(() => table.get(key)),
    putIfAbsent: (...given) => turn().then(() => table.putIfAbsent(...given)),
    putIfVersion: (...given) => turn().then(() => table.putIfVersion(...given)),
    delete: (key) => turn().then(() => table.delete(key)),
  };
}
