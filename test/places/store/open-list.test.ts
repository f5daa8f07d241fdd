import { expect, test } from 'vitest';
import { leaveMessage } from '../../../src/core/lifecycle/leave-message.ts';
import { reopened } from '../../../src/core/records/reopened.ts';
import type { RunStore } from '../../../src/core/records/ports.ts';
import { closeRun, type RunEnd } from '../../../src/core/turn/close.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import type { Table } from '../../../src/places/store/table.ts';
import { anOpened, aRun, aSubAgent, aTurn } from '../../fixtures/records.ts';

const top = aRun();
const now = () => Date.parse(top.startedAt) + 1_000;

/** As DynamoDB writes: what an item removes goes after it, and something else may come first. */
function removingLate(table: Table, meanwhile: () => Promise<unknown>): Table {
  return {
    ...table,
    async putIfVersion(key, value, version, options = {}) {
      const { ahead = [], ...others } = options;
      const kept = ahead.filter((item) => item.value !== undefined);
      const removed = ahead.filter((item) => item.value === undefined);
      const written = await table.putIfVersion(key, value, version, { ...others, ahead: kept });
      if (written === undefined || removed.length === 0) return written;
      await meanwhile();
      for (const item of removed) await table.delete(item.key);
      return written;
    },
  };
}

const GOES_ON: Record<string, (store: RunStore) => Promise<unknown>> = {
  'goes on': (store) =>
    store.updateRun(top.id, (run) => ({ ...reopened(run, now()), holder: 2, execution: 'its second' })),
  'is written to': (store) => leaveMessage({ run: top.id, text: 'and now?' }, { store, now }),
  'is left alone': async () => {},
};

test.each(Object.entries(GOES_ON))(
  'a tree that has ended is on the list of open ones as long as anything is to happen in it: its top %s',
  async (how, goOn) => {
    const table = createMemoryTable();
    const storeOf = (on: Table) => createRunStore(on, createDocuments(on, NO_BLOBS));
    const store = storeOf(table);
    await store.insertRun(top);
    await store.saveOpened(top.id, anOpened());
    const turn = await store.saveTurn(top.id, aTurn({ answer: { text: 'so' } }));
    const ending = storeOf(removingLate(table, async () => goOn(store)));
    await closeRun(top, [turn], { status: 'succeeded' }, { store: ending, now });
    const listed: string[] = [];
    for await (const { key } of table.query('open', '')) listed.push(key.sort);
    expect(listed).toHaveLength(how === 'is left alone' ? 0 : 1);
  },
);

const stopped: RunEnd = { status: 'stopped', failure: { error: 'Stopped', message: 'enough' } };

test.each<RunEnd>([{ status: 'succeeded' }, { status: 'budget_exceeded', exceeded: 'over' }, stopped])(
  'a tree whose top has called an agent and ended as %o is on it as long as a function may be late',
  async (end) => {
    const table = createMemoryTable();
    let minutes = 0;
    const time = () => Date.parse(top.startedAt) + 60_000 * minutes;
    const store = createRunStore(table, createDocuments(table, NO_BLOBS), undefined, time);
    const listed = async () => {
      const trees: string[][] = [];
      for await (const tree of await store.openTrees()) trees.push(tree.map(({ id }) => id));
      return trees;
    };
    await store.insertRun(top);
    await store.saveOpened(top.id, anOpened());
    const calls = [{ id: 'c1', name: 'call_agent', arguments: {} }];
    const plan = { kind: 'delegate' as const, agent: 'kid', task: 'x', context: '' };
    const turn = await store.saveTurn(top.id, aTurn({ answer: { calls }, plans: [plan] }));
    await closeRun(top, [turn], end, { store, now: time });
    minutes = 15;
    expect(await listed()).toEqual([]);
    // The function that writes this dies right behind it.
    const kid = aSubAgent(top);
    await store.insertRun(kid);
    minutes = 20;
    expect(await listed()).toEqual([[top.id, kid.id]]);
    await closeRun(kid, [], stopped, { store, now: time });
    minutes = 36;
    expect(await listed()).toEqual([]);
    await store.insertRun(aSubAgent(top, { path: 't1c2' }));
    expect(await listed()).toEqual([]);
  },
);
