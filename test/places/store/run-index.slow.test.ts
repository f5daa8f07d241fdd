import { describe, expect, test } from 'vitest';
import type { WantedTrees } from '../../../src/core/records/listed-trees.ts';
import type { RunStore } from '../../../src/core/records/ports.ts';
import { reopened } from '../../../src/core/records/reopened.ts';
import type { Run } from '../../../src/core/records/run.ts';
import { usageOf, type Turn } from '../../../src/core/records/turn.ts';
import { termsOf } from '../../../src/terms.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryBlobs } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import type { Table } from '../../../src/places/store/table.ts';
import { bothTables } from '../../fixtures/both-tables.ts';
import { aFork, anOpened, aRun, aSubAgent, aTurn } from '../../fixtures/records.ts';

const NOON = Date.parse('2026-03-03T12:00:00.000Z');
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Tests share a table in DynamoDB: those of one have keys of their own, in the order in which trees were made. */
let tests = 0;

/** A store whose clock a test sets, with what tests do to runs. */
function openStore(table: Table) {
  const clock = { now: NOON };
  const open = () =>
    createRunStore(table, createDocuments(table, createMemoryBlobs()), undefined, () => clock.now);
  const store = open();
  let trees = 0;
  tests += 1;
  const suffix = `${tests}`.padStart(4, '0');
  const iso = () => new Date(clock.now).toISOString();
  /** @returns the record of a top that has begun now */
  const begin = async (other: Partial<Run> = {}) => {
    trees += 1;
    const { agent = 'top' } = other;
    const id = `${agent}-${(clock.now + trees).toString(36)}${suffix}${trees % 10}a`;
    return store.insertRun(aRun({ id, root: id, agent, startedAt: iso(), ...other }));
  };
  const say = (run: Run, number: number, answer: Partial<Turn['answer']>, other: Partial<Turn> = {}) =>
    store.saveTurn(run.id, aTurn({ number, answer, at: iso(), nanoUsd: 1_000, ...other }));
  /** Ends a run, or brings it to rest. */
  const end = async (run: Run, other: Partial<Run> = {}, on: RunStore = store) => {
    const turns = await on.turns(run.id);
    return on.updateRun(run.id, (current) => ({
      ...current,
      status: 'succeeded',
      endedAt: iso(),
      usage: usageOf(turns),
      ...other,
    }));
  };
  const list = async (wanted: Partial<WantedTrees> = {}, on: RunStore = store) => {
    // Other tests' trees are in the table, too.
    const { trees: all, next } = await on.listTrees({ limit: 100, ...wanted });
    const own = all.filter(({ top }) => top.id.includes(suffix));
    return { ids: own.map(({ top }) => top.id), found: own.map(({ found }) => found), next };
  };
  const find = (text: string, wanted: Partial<WantedTrees> = {}) => list({ terms: termsOf(text), ...wanted });
  return { store, open, clock, begin, say, end, list, find };
}

describe.each(Object.entries(bothTables()))('%s', (_, openTable) => {
  const opened = async () => openStore(await openTable());

  test('trees are listed by agent, owner, tags and time, newest first and page by page', async () => {
    const { begin, list, clock } = await opened();
    const one = await begin({ agent: 'one', tags: { customer: 'acme', kind: 'x' }, owner: 'ann' });
    clock.now += HOUR;
    const two = await begin({ agent: 'two', tags: { customer: 'acme' } });
    clock.now += HOUR;
    const three = await begin({ agent: 'one' });
    expect((await list()).ids).toEqual([three.id, two.id, one.id]);
    expect((await list({ agent: 'one' })).ids).toEqual([three.id, one.id]);
    expect((await list({ owner: { owner: 'ann' } })).ids).toEqual([one.id]);
    expect((await list({ tags: { customer: 'acme' } })).ids).toEqual([two.id, one.id]);
    expect((await list({ tags: { customer: 'acme', kind: 'x' } })).ids).toEqual([one.id]);
    expect((await list({ tags: { customer: 'acm' } })).ids).toEqual([]);
    expect((await list({ since: NOON + HOUR })).ids).toEqual([three.id, two.id]);
    expect((await list({ until: NOON + HOUR })).ids).toEqual([one.id]);
    expect(await list({ limit: 1, after: three.id })).toMatchObject({ ids: [two.id], next: two.id });
    expect((await list({ accepts: ({ id }) => id === two.id })).ids).toEqual([two.id]);
  });

  test('runs are found by all words of task, tags, errors, answers and calls, in the whole tree', async () => {
    const { store, begin, say, end, find } = await opened();
    const top = await begin({ task: 'Prüfe die Rechnung', tags: { customer: 'Acme' } });
    const kid = await store.insertRun(aSubAgent(top, { task: 'Look at volume 7' }));
    await store.saveOpened(kid.id, anOpened({ message: 'Look at volume 7 (of "north")' }));
    const calls = [{ id: '1', name: 'read_file', arguments: { path: 'ledger.csv' } }];
    await say(kid, 1, { text: 'let me see', calls });
    const results = [{ callId: '1', name: 'read_file', text: 'Zaphod;42', isError: false }];
    await say(kid, 2, { text: 'The disk is full' }, { received: [{ role: 'tool', results }] });
    await end(kid);
    await say(top, 1, { text: 'Nothing to pay' });
    // The top has not ended yet, and is found all the same.
    expect((await find('nothing pay')).found).toEqual([top.id]);
    await end(top, { status: 'failed', failure: { error: 'X', message: 'the quota is over' } });

    expect(await find('RECHNUNG')).toMatchObject({ ids: [top.id], found: [top.id] });
    for (const text of ['acme', 'quota', 'nothing to PAY', 'prüf'])
      expect((await find(text)).found).toEqual([top.id]);
    for (const text of ['volume 7', 'ledger.csv', 'zaphod', 'disk full', 'north look read_file'])
      expect((await find(text)).found).toEqual([kid.id]);
    // One word in each of two runs: that with more of them is named.
    expect((await find('acme disk full')).found).toEqual([kid.id]);
    expect((await find('acme trillian')).ids).toEqual([]);
    expect((await find('disk', { agent: 'other' })).ids).toEqual([]);
  });

  test('what is under way, and what did not succeed, is listed for itself', async () => {
    const { store, open, begin, end, list } = await opened();
    const works = await begin();
    const failed = await end(await begin(), { status: 'failed', failure: { error: 'X', message: 'x' } });
    const stopped = await end(await begin(), { status: 'stopped', failure: { error: 'X', message: 'x' } });
    const done = await end(await begin());
    const running = async () => (await list({ statuses: ['running'] }, open())).ids;
    expect(await running()).toEqual([works.id]);
    expect((await list({ statuses: ['failed', 'stopped'] })).ids).toEqual([stopped?.id, failed?.id]);
    expect((await list({ statuses: ['failed'] })).ids).toEqual([failed?.id]);
    // One that goes on is under way again, until it has succeeded after all.
    await store.updateRun(failed?.id ?? '', (run) => ({ ...reopened(run, NOON), holder: 2 }));
    expect(await running()).toEqual([failed?.id, works.id]);
    expect((await list({ statuses: ['failed'] })).ids).toEqual([]);
    await end(failed ?? works);
    await end(works);
    expect(await running()).toEqual([]);
    expect((await list({ statuses: ['succeeded'] })).ids).toEqual([done?.id, failed?.id, works.id]);
  });

  test('a fork that is woken after the end of its tree brings that back to those under way', async () => {
    const { store, begin, end, list } = await opened();
    const top = await begin();
    const fork = await store.insertRun(aFork(top));
    await end(fork, { status: 'idle' });
    await end(top);
    const woken = (run: Run): Run => ({ ...run, status: 'running' });
    await store.updateRun(fork.id, woken);
    expect((await list({ statuses: ['succeeded', 'running'] })).ids).toEqual([top.id]);
    const { days } = await store.spending({ since: '2026-03-03', until: '2026-03-03' });
    expect(days).toHaveLength(1);
  });

  test('spending is added up by the day of the turns, for each run once', async () => {
    const { store, begin, say, end, clock } = await opened();
    // Nothing else ran in this year.
    clock.now += 3 * 365 * DAY + tests * 30 * DAY;
    const day = (later: number) => new Date(clock.now + later * DAY).toISOString().slice(0, 10);
    const [first, second] = [day(0), day(1)];
    const read = async () => (await store.spending({ since: first, until: second })).days;
    const top = await begin({ version: 'abc' });
    const kid = await store.insertRun(aSubAgent(top, { startedAt: new Date(clock.now).toISOString() }));
    await say(kid, 1, { usage: { inputTokens: 10, outputTokens: 5 } });
    await end(kid);
    await end(kid);
    await say(top, 1, {});
    const of = (agent: string, other: object) => ({
      agent,
      model: 'm/x',
      runs: 1,
      trees: 0,
      succeeded: 1,
      failed: 0,
      nanoUsd: 1_000,
      unpriced: 0,
      ...other,
    });
    const kidSpent = of('kid', { version: 'abc', tokens: 15 });
    // The top has not ended: what it has spent so far counts.
    const soFar = of('top', { version: 'abc', trees: 1, succeeded: 0, tokens: 2 });
    expect(await read()).toEqual([
      { day: second, spendings: [] },
      { day: first, spendings: expect.toSatisfy(sameAs([kidSpent, soFar])) },
    ]);
    clock.now += DAY + HOUR;
    // The first day is over, and is added up for good. The next turn is of the second day, and ends both.
    await read();
    await say(top, 2, {}, { received: [] });
    await end(top, { status: 'failed', failure: { error: 'X', message: 'x' } });
    expect(await read()).toEqual([
      { day: second, spendings: [of('top', { version: 'abc', runs: 0, succeeded: 0, tokens: 2 })] },
      {
        day: first,
        spendings: expect.toSatisfy(
          sameAs([kidSpent, of('top', { version: 'abc', trees: 1, succeeded: 0, failed: 1, tokens: 2 })]),
        ),
      },
    ]);
    // A function that had been given up has made one more turn, which is counted after the end.
    await say(top, 3, {}, { received: [] });
    const turns = await store.turns(top.id);
    await store.updateRun(top.id, (run) => ({ ...run, usage: usageOf(turns) }));
    expect((await read())[0]).toEqual({
      day: second,
      spendings: [of('top', { version: 'abc', runs: 0, succeeded: 0, tokens: 4, nanoUsd: 2_000 })],
    });
    await store.deleteTrees([top.id]);
    expect(await read()).toEqual([
      { day: second, spendings: [] },
      { day: first, spendings: [] },
    ]);
  });

  test('trees of earlier releases, which have no entries, are listed and found as well', async () => {
    const table = await openTable();
    const { store, begin, say, end, list, find } = openStore(table);
    const old = await begin({ task: 'an old one', agent: 'old' });
    await say(old, 1, { text: 'forty-two' });
    await end(old, { status: 'failed', failure: { error: 'X', message: 'x' } });
    const waits = await begin({ agent: 'old' });
    for (const { id } of [old, waits]) {
      const key = id.slice(id.lastIndexOf('-') + 1);
      for (const partition of ['open', 'unsuccessful', 'runs']) await table.delete({ partition, sort: key });
      await table.delete({ partition: 'words', sort: `${key}#${id}` });
      await table.delete({ partition: 'trees-by-agent', sort: `old#${key}` });
      await table.delete({ partition: 'trees-by-status', sort: `failed#${key}` });
      await table.putIfAbsent({ partition: 'runs', sort: key }, { run: id });
    }
    for (const sort of ['first', 'first-by-agent', 'first-by-status'])
      await table.delete({ partition: 'index', sort });
    const later = openStore(table);
    later.clock.now += HOUR;
    await later.begin();
    expect((await list({ agent: 'old' })).ids).toEqual([waits.id, old.id]);
    expect((await list({ statuses: ['running'] })).ids).toEqual([waits.id]);
    expect((await list({ statuses: ['failed'] })).ids).toEqual([old.id]);
    expect((await find('forty two')).ids).toEqual([old.id]);
    expect(await store.run(old.id)).toBeDefined();
  });
});

/** Rows in any order. */
function sameAs(expected: readonly object[]) {
  const sorted = (rows: readonly object[]) =>
    rows
      .map((row) =>
        JSON.stringify(
          row,
          Object.keys(row).toSorted((one, other) => (one < other ? -1 : 1)),
        ),
      )
      .sort();
  return (rows: readonly object[]) => sorted(rows).join() === sorted(expected).join();
}
