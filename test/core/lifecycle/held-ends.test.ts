import { expect, test } from 'vitest';
import { isAnyAtWork } from '../../../src/core/lifecycle/due.ts';
import { deliver } from '../../../src/core/lifecycle/deliver.ts';
import { holdEndBack } from '../../../src/core/lifecycle/held-ends.ts';
import { NOTHING_RUNS } from '../../../src/core/lifecycle/ports.ts';
import { rest } from '../../../src/core/lifecycle/rest.ts';
import { wakeWaiting } from '../../../src/core/lifecycle/wake-agents.ts';
import type { Run } from '../../../src/core/records/run.ts';
import { seconds } from '../../../src/core/records/times.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { mortal } from '../../fixtures/mortal.ts';
import { standingStill } from '../../fixtures/standing-still.ts';
import { anOpened, aRun, aSubAgent, aTurn, keepRun } from '../../fixtures/records.ts';

const top = aRun({ status: 'idle', timeout: seconds(3600) });
const kid = aSubAgent(top, { beside: true, status: 'idle', endedAt: top.startedAt });
const leaf = aSubAgent(kid, { agent: 'leaf', path: 't1c1_t1c1', status: 'running' });
const end = `[Agent "kid" (${kid.id}) has finished: succeeded]\n\nfound`;

/** A top that waits beside an agent which has answered, and whose own agent is at work. */
async function open(change: Partial<Run> = {}) {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  for (const run of [top, { ...kid, ...change }, leaf]) {
    await keepRun(store, run);
    await store.saveOpened(run.id, anOpened());
  }
  const turn = aTurn({ answer: { text: 'found' } });
  await store.saveTurn(kid.id, turn);
  await holdEndBack(kid, [turn], store);
  await store.saveMailWait({ run: top.id, token: 'the top' });
  const woken: string[] = [];
  const look = (by = store) =>
    wakeWaiting(top.id, {
      ...NOTHING_RUNS,
      wake: async (token) => void woken.push(token),
      store: by,
      now: () => Date.parse(top.startedAt),
    });
  const leafEnds = () => store.updateRun(leaf.id, (run) => ({ ...run, status: 'succeeded' }));
  const told = async () => (await store.mails(top.id)).map(({ body }) => body);
  return { store, look, leafEnds, told, woken };
}

test('the end of an agent is told once nothing below it is at work any more, and wakes who waits', async () => {
  const { store, look, leafEnds, told, woken } = await open();
  await look();
  expect([await told(), woken]).toEqual([[], []]);
  await leafEnds();
  // Until it is told, an agent that looks round does not take the tree for done.
  expect(await isAnyAtWork(top, await store.tree(top.id), store)).toBe(true);
  await look();
  expect([await told(), woken]).toEqual([[end], ['the top']]);
  expect(await store.mailWaits(top.id)).toEqual([]);
  expect(await isAnyAtWork(top, await store.tree(top.id), store)).toBe(false);
});

test.each(['before', 'after'] as const)(
  'it is told once if a process dies %s any operation',
  async (when) => {
    for (let at = 0, isDead = true; isDead; at++) {
      const { store, look, leafEnds, told, woken } = await open();
      await leafEnds();
      const life = { operations: 0, dies: { at, when } };
      isDead = await look(mortal(store, life)).then(
        () => false,
        () => true,
      );
      await look();
      expect([at, await told(), [...new Set(woken)]]).toEqual([at, [end], ['the top']]);
      expect(await store.mailWaits(top.id)).toEqual([]);
    }
  },
);

test('nothing is told of an agent that goes on, or was ended', async () => {
  const goesOn = await open({ status: 'running' });
  await goesOn.leafEnds();
  await goesOn.look();
  expect([await goesOn.told(), goesOn.woken]).toEqual([[], []]);
  const failure = { error: 'Stopped', message: 'enough' };
  const ended = await open({ status: 'stopped', failure });
  await ended.leafEnds();
  await ended.look();
  expect([await ended.told(), ended.woken]).toEqual([[], ['the top']]);
});

test('an agent that was written to meanwhile answers first, as long as its tree has time', async () => {
  const { store, look, leafEnds, told } = await open({ hasMail: true });
  await store.saveMail(kid.id, { from: leaf.id, body: 'look', sentAt: top.startedAt });
  await leafEnds();
  await look();
  expect(await told()).toEqual([]);
  await store.updateRun(top.id, (run) => ({ ...run, status: 'succeeded' }));
  await look();
  expect(await told()).toEqual([end]);
});

test('an agent that rests is woken although a slow attempt to wait, which was made before, has left its token since', async () => {
  const { store } = await open();
  await store.deleteMailWait({ run: top.id, token: 'the top' });
  await store.saveTurn(top.id, aTurn({ answer: { text: 'so' } }));
  const woken: string[] = [];
  const ports = {
    ...NOTHING_RUNS,
    wake: async (token: string) => void woken.push(token),
    now: () => Date.parse(top.startedAt),
  };
  const claim = { run: top.id, holder: top.holder, execution: top.execution };
  const deadline = Date.parse(top.startedAt) + 3_600_000;
  const wait = async (token: string, by = store) =>
    rest({ ...claim, deadline, token }, { ...ports, store: by });
  await wait(
    'first',
    standingStill(store, 'saveMailWait', async () => wait('second')),
  );
  expect(woken).toEqual([]);
  await deliver(top, { body: 'go on', sentAt: top.startedAt }, undefined, { ...ports, store });
  expect(woken.toSorted()).toEqual(['first', 'second']);
  expect((await store.mailWaits(top.id)).filter(({ isEnd }) => !isEnd)).toEqual([]);
});
