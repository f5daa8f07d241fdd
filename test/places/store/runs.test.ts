import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openLedger } from '../../../src/core/records/ledger.ts';
import type { Turn } from '../../../src/core/records/turn.ts';
import { childOf, treeKey } from '../../../src/core/records/run-id.ts';
import { deleteTrees } from '../../../src/places/store/delete-trees.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { SPENT_IN_ALL } from '../../../src/places/store/index-entries.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { SPENT } from '../../../src/places/store/partitions.ts';
import { createFolderBlobs } from '../../../src/places/local/store/folder-blobs.ts';
import { openLmdbTable } from '../../../src/places/local/store/lmdb/table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import type { Key, Replacement, Table } from '../../../src/places/store/table.ts';
import { slowly } from '../../fixtures/slowly.ts';
import { Death } from '../../fixtures/mortal.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { anOpened, aRun, aSubAgent, aTurn, keepRun } from '../../fixtures/records.ts';

/** Opens the store of one folder as often as asked, as several processes do. */
async function openFolder() {
  const folder = await tempFolder();
  return async () => {
    const table = await openLmdbTable(join(folder, 'store'));
    onTestFinished(() => table.close());
    return createRunStore(table, createDocuments(table, createFolderBlobs(join(folder, 'blobs'))));
  };
}

const ID = 'lead-0123456789abcd';
/** Long enough to be kept once. */
const LONG = 'What matters here? '.repeat(100);
const turn = (number: number, text = `answer ${number}`) => aTurn({ number, answer: { text } });

test('turns are all there and in order, whichever of two processes wrote them', async () => {
  const open = await openFolder();
  const [one, two] = [await open(), await open()];
  expect(await one.turns(ID)).toEqual([]);
  const written: Turn[] = [];
  for (const [index, store] of [one, one, two, one, two, two, one].entries()) {
    written.push(await store.saveTurn(ID, turn(index + 1)));
    expect(await two.turns(ID)).toEqual(written);
    // The one that does not look each time has to catch up by more than a turn.
    if (index % 3 === 0) expect(await one.turns(ID)).toEqual(written);
  }
  const fresh = await open();
  expect(await fresh.turns(ID)).toEqual(written);
});

test('a tree is not read again as long as nobody has written, and then as it is', async () => {
  const folder = await tempFolder();
  const open = async () => {
    const table = await openLmdbTable(join(folder, 'store'));
    onTestFinished(() => table.close());
    const queries = vi.spyOn(table, 'query');
    const store = createRunStore(table, createDocuments(table, NO_BLOBS));
    return {
      store,
      tree: async () => ({ runs: await store.tree(top.id), queries: queries.mock.calls.length }),
    };
  };
  const top = aRun();
  const [here, there] = [await open(), await open()];
  await keepRun(there.store, top);
  expect(await here.tree()).toEqual({ runs: [top], queries: 1 });
  expect(await here.tree()).toEqual({ runs: [top], queries: 1 });
  const kid = aSubAgent(top);
  await keepRun(there.store, kid);
  expect(await here.tree()).toEqual({ runs: [top, kid], queries: 2 });
  await here.store.updateRun(kid.id, (run) => ({ ...run, attempts: 2 }));
  expect((await here.tree()).queries).toBe(3);
});

test('turns stay in order when there are more than 9,999 of them', async () => {
  const open = await openFolder();
  const store = await open();
  const written = [9_998, 9_999, 10_000, 10_001, 99_999, 100_000].map((number) => turn(number));
  for (const one of written.toReversed()) await store.saveTurn(ID, one);
  const fresh = await open();
  expect(await fresh.turns(ID)).toEqual(written);
  expect(await fresh.newestTurn(ID)).toEqual(written.at(-1));
});

test("a caller's additions to the turns that it was given stay its own", async () => {
  const store = await (await openFolder())();
  await store.saveTurn(ID, turn(1));
  (await store.turns(ID)).push(turn(2));
  expect(await store.turns(ID)).toEqual([turn(1)]);
});

test('a turn stays what the first writer made it', async () => {
  const open = await openFolder();
  const [one, two] = [await open(), await open()];
  await one.saveTurn(ID, turn(1, 'first'));
  expect(await two.saveTurn(ID, turn(1, 'second'))).toEqual(turn(1, 'first'));
  expect(await two.turns(ID)).toEqual([turn(1, 'first')]);
});

test.each([
  ['the prompt alone', { prompt: LONG }, LONG],
  [
    'prompt and context',
    { prompt: LONG, context: 'é'.repeat(3_000) },
    `${LONG}\n\nContext:\n${'é'.repeat(3_000)}`,
  ],
  ['a short prompt with a context', { prompt: 'Why?', context: LONG }, `Why?\n\nContext:\n${LONG}`],
  ['a context without a prompt', { context: LONG }, LONG],
  ['a context that is the prompt', { prompt: LONG, context: LONG }, LONG],
  ['another text', { prompt: LONG }, `Never mind: ${LONG}`],
])(
  'a message that is %s is read as it was saved, and what was asked is kept once',
  async (_, asked, message) => {
    const table = createMemoryTable();
    const open = () => createRunStore(table, createDocuments(table, NO_BLOBS));
    const store = open();
    const opened = anOpened({ root: ID, message });
    await store.saveRequest(ID, { agent: 'lead', ...asked });
    expect(await store.saveOpened(ID, opened)).toEqual(opened);
    expect(await store.opened(ID)).toEqual(opened);
    const other = open();
    expect(await other.opened(ID)).toEqual(opened);
    expect(await open().saveOpened(ID, { ...opened, message: 'later' })).toEqual(opened);
    const kept = JSON.stringify((await table.get({ partition: `run#${ID}`, sort: 'opened' }))?.value);
    expect(kept.includes(LONG)).toBe(message.startsWith('Never mind'));
  },
);

test('a message of an earlier release is kept whole, and one whose request is gone is not made up', async () => {
  const table = createMemoryTable();
  const open = () => createRunStore(table, createDocuments(table, NO_BLOBS));
  const opened = anOpened({ root: ID, message: LONG });
  await open().saveOpened(ID, opened);
  await open().saveRequest(ID, { agent: 'lead', prompt: LONG });
  expect(await open().opened(ID)).toEqual(opened);

  const other = 'lead-0123456789abce';
  const store = open();
  await store.saveRequest(other, { agent: 'lead', prompt: LONG });
  await store.saveOpened(other, anOpened({ root: other, message: LONG }));
  await table.delete({ partition: `run#${other}`, sort: 'request' });
  await expect(open().opened(other)).rejects.toThrow(`the store lacks the request of run "${other}"`);
});

test('a tree is removed whole, and no other', async () => {
  const folder = await tempFolder();
  const lmdb = await openLmdbTable(join(folder, 'store'));
  onTestFinished(() => lmdb.close());
  const written: Key[] = [];
  const note = (key: Key, ahead: readonly Replacement[] = []) =>
    written.push(key, ...ahead.flatMap((item) => (item.value === undefined ? [] : item.key)));
  const table: Table = {
    get: (key) => lmdb.get(key),
    putIfAbsent: (...put) => (note(put[0], put[2]?.ahead), lmdb.putIfAbsent(...put)),
    putIfVersion: (...put) => (note(put[0], put[3]?.ahead), lmdb.putIfVersion(...put)),
    query: (...of) => lmdb.query(...of),
    delete: (key) => lmdb.delete(key),
    close: () => lmdb.close(),
  };
  const store = createRunStore(table, createDocuments(table, createFolderBlobs(join(folder, 'blobs'))));
  const keep = async (top: string) => {
    const child = childOf({ id: top, path: '' }, 1, 1, 'kid');
    const parent = { run: top, turn: 1, call: 1 };
    for (const { id, path, ...more } of [
      { id: top, path: '' },
      { ...child, parent },
    ]) {
      await store.saveRequest(id, { agent: 'a', prompt: 'x'.repeat(100_000) });
      await store.saveTurn(id, turn(1));
      await store.saveTurn(id, turn(2, 'z'.repeat(100_000)));
      await keepRun(store, aRun({ id, path, root: top, status: 'succeeded', ...more }));
      await store.changeLedger(id, () => ({ ledger: openLedger({ tokens: 1 }) }));
      await store.bind('its own', { run: id, digest: 'what somebody said' }, id);
    }
    // One that was handed its share and never opened.
    const { id: unopened } = childOf({ id: top, path: '' }, 2, 1, 'kid');
    const shares = { [unopened]: { given: { tokens: 1 } } };
    await store.changeLedger(top, () => ({ ledger: { ...openLedger({ tokens: 1 }), shares } }));
    await store.changeLedger(unopened, () => ({ ledger: openLedger({ tokens: 1 }) }));
    return { child: child.id };
  };
  const snapshot = async () => ({
    items: (await Promise.all(written.map((key) => lmdb.get(key)))).filter((item) => item !== undefined),
    blobs: await readdir(join(folder, 'blobs'), { recursive: true }),
  });
  await keep('other-00000000000000');
  const before = await snapshot();
  const { child } = await keep(ID);
  expect((await snapshot()).items.length).toBeGreaterThan(before.items.length);

  await store.deleteTrees([child]);
  await store.deleteTrees([child]);

  expect(await snapshot()).toEqual(before);
  const roots = [];
  for await (const root of store.roots(10)) roots.push(root.id);
  expect(roots).toEqual(['other-00000000000000']);
  // What this process had just written, it does not remember either.
  const gone = await Promise.all([store.request(ID), store.turns(child), store.bound('its own', child)]);
  expect(gone).toEqual([undefined, [], undefined]);
});

test('a removal that was cut short anywhere is finished by the next one', async () => {
  for (let done = 0, isCut = true; isCut; done += 1) {
    const table = createMemoryTable();
    const store = createRunStore(table, createDocuments(table, NO_BLOBS));
    const { id: unopened } = childOf({ id: ID, path: '' }, 1, 1, 'kid');
    const kept: Key[] = [ID, unopened].map((id) => ({ partition: `run#${id}`, sort: 'ledger' }));
    kept.push({ partition: `run#${ID}`, sort: 'request' });
    await keepRun(store, aRun({ id: ID, root: ID, status: 'succeeded', endedAt: aRun().startedAt }));
    await store.saveRequest(ID, { agent: 'top', prompt: 'go' });
    const ledger = openLedger({ tokens: 1 });
    await store.changeLedger(ID, () => ({
      ledger: { ...ledger, shares: { [unopened]: { given: { tokens: 1 } } } },
    }));
    await store.changeLedger(unopened, () => ({ ledger }));
    let left = done;
    isCut = false;
    const mortal: Table = {
      ...table,
      async delete(key) {
        isCut ||= left-- === 0;
        if (isCut) throw new Death();
        await table.delete(key);
      },
    };
    await deleteTrees([ID], mortal, createDocuments(mortal, NO_BLOBS)).catch(() => {});
    await deleteTrees([ID], table, createDocuments(table, NO_BLOBS));
    const items = await Promise.all(kept.map((key) => table.get(key)));
    expect([done, items.filter((item) => item !== undefined)]).toEqual([done, []]);
  }
});

test('what was spent in a tree goes before what is added up of the day is noted as stale, and that before its runs', async () => {
  const table = createMemoryTable();
  const seen: string[] = [];
  const noted = <Given extends [Key, ...unknown[]], Result>(work: (...given: Given) => Promise<Result>) => {
    const late = slowly(work);
    return async (...given: Given) => {
      const [{ partition }] = given;
      seen.push(`${partition} begins`);
      const result = await late(...given);
      seen.push(`${partition} ends`);
      return result;
    };
  };
  const slow: Table = { ...table, delete: noted(table.delete), putIfVersion: noted(table.putIfVersion) };
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  const { startedAt } = aRun();
  const [day = ''] = startedAt.split('T');
  await keepRun(store, aRun({ id: ID, root: ID, status: 'succeeded', endedAt: startedAt }));
  await table.putIfAbsent({ partition: SPENT_IN_ALL, sort: day }, { spendings: [] });

  expect(await deleteTrees([ID], slow, createDocuments(slow, NO_BLOBS))).toEqual([1]);

  expect(seen.slice(0, 4)).toEqual(
    [SPENT, SPENT_IN_ALL].flatMap((partition) => [`${partition} begins`, `${partition} ends`]),
  );
  for await (const item of table.query(`tree#${treeKey(ID)}`, '')) expect(item).toBeUndefined();
});
