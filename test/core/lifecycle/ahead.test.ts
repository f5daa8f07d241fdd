import { expect, test } from 'vitest';
import { createTeller } from '../../../src/core/events/tell.ts';
import { createTreeReader } from '../../../src/core/events/tree-reader.ts';
import { isAnyAtWork } from '../../../src/core/lifecycle/due.ts';
import { NOTHING_RUNS } from '../../../src/core/lifecycle/ports.ts';
import { sweepTrees } from '../../../src/core/lifecycle/sweep.ts';
import type { StartPlan } from '../../../src/core/records/plan.ts';
import { childOf } from '../../../src/core/records/run-id.ts';
import type { Run } from '../../../src/core/records/run.ts';
import { closeAhead, writeAhead } from '../../../src/core/steps/ahead.ts';
import { MAX_CALLS_PER_TURN } from '../../../src/core/tool-contracts/plan-calls.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { noticed } from '../../../src/places/follow/notices.ts';
import { loadOwnTools } from '../../../src/tools/load-own-tools.ts';
import { anOpened, aRun, aSubAgent, aTurn, keepRun } from '../../fixtures/records.ts';

const plan: StartPlan = { kind: 'start', agent: 'kid', name: 'kid', task: 'look', context: '' };
const top = aRun();
const at = Date.parse(top.startedAt);

/** A top that has begun to start an agent in the background, whose execution never comes. */
async function open(change: Partial<Run> = {}) {
  const table = createMemoryTable();
  const { store, live } = noticed(createRunStore(table, createDocuments(table, NO_BLOBS)), () => {});
  await keepRun(store, { ...top, ...change });
  await store.saveOpened(top.id, anOpened());
  const turn = { answer: { calls: [{ id: 'c1', name: 'call_agent', arguments: {} }] }, plans: [plan] };
  await store.saveTurn(top.id, aTurn({ ...turn, at: top.startedAt }));
  const context = { run: top, turn: 1, call: 1, limits: anOpened().delegation, store };
  const failing = { ...store, run: () => Promise.reject(new Error('the function dies')) };
  const writeAndDie = async () => writeAhead(plan, { ...context, call: 2, store: failing }, at);
  const written = await writeAhead(plan, context, at);
  const ports = { ...NOTHING_RUNS, store, live, endOf: async () => undefined };
  const sweep = async (seconds: number) =>
    sweepTrees(await store.openTrees(), { ...ports, now: () => at + 1000 * seconds });
  const now = async () => (await store.run(written.id))?.status;
  return { store, written, writeAndDie, sweep, now };
}

test('an agent whose execution never comes is closed five minutes after its caller has gone on, which is told', async () => {
  const { store, written, sweep, now } = await open();
  await sweep(10_000);
  // A call before it may take as long as it likes.
  expect(await now()).toBe('running');
  await store.saveTurn(top.id, aTurn({ number: 2, at: new Date(at + 10_000_000).toISOString() }));
  await sweep(10_300);
  expect(await now()).toBe('running');
  await sweep(10_300.001);
  await sweep(10_400);
  expect(await now()).toBe('failed');
  expect((await store.mails(top.id)).map(({ kind, body }) => [kind, body])).toEqual([
    ['end', `[Agent "kid" (${written.id}) has finished: failed]\n\n[its execution was never started]`],
  ]);
});

test('so is a fork, which has a name alone until then: nobody waits for it any longer', async () => {
  const { store, written, sweep } = await open();
  await sweep(1);
  await store.updateRun(written.id, (run) => ({ ...run, status: 'stopped' }));
  const fork: StartPlan = { kind: 'start', agent: 'top', name: 'helper', task: 'look' };
  const calls = [{ id: 'c2', name: 'fork', arguments: {} }];
  await store.saveTurn(top.id, aTurn({ number: 2, answer: { calls }, plans: [fork], at: top.startedAt }));
  const { id, path } = childOf(top, 2, 1, 'top');
  await store.claimName({ id, path }, 'helper');
  const isWaitedFor = async () => isAnyAtWork(top, await store.tree(top.id), store);
  await sweep(10_000);
  expect([await store.run(id), await isWaitedFor()]).toEqual([undefined, true]);
  await store.saveTurn(top.id, aTurn({ number: 3, at: new Date(at + 10_000_000).toISOString() }));
  await sweep(10_300);
  expect([await store.run(id), await isWaitedFor()]).toEqual([undefined, true]);
  await sweep(10_300.001);
  await sweep(10_400);
  expect(await store.run(id)).toMatchObject({
    status: 'failed',
    derivedBy: 'fork',
    depth: 0,
    name: 'helper',
  });
  expect(await isWaitedFor()).toBe(false);
  const told = { status: 'idle', success: false, error: 'its execution was never started', partial: '' };
  expect((await store.mails(top.id)).map(({ kind, body }) => [kind, body])).toEqual([
    ['report', JSON.stringify(told)],
  ]);
});

test.each<[string, Partial<Run>]>([
  ['over its budget', { status: 'budget_exceeded', exceeded: 'budget exceeded' }],
  ['with its answer before messages that it passed over', { status: 'succeeded' }],
])('so is one whose maker has come to rest %s without a later turn', async (_, end) => {
  const { store, sweep } = await open();
  const kid = aSubAgent(top, { path: 't1c3', parent: { run: top.id, turn: 1, call: 3 } });
  await keepRun(store, { ...kid, ...end, endedAt: new Date(at + 10_000_000).toISOString() });
  await store.saveOpened(kid.id, anOpened());
  const fork: StartPlan = { kind: 'start', agent: 'kid', name: 'helper', task: 'look' };
  const calls = [{ id: 'c1', name: 'fork', arguments: {} }];
  await store.saveTurn(kid.id, aTurn({ answer: { calls }, plans: [fork], at: top.startedAt }));
  await store.claimName(childOf(kid, 1, 1, 'kid'), 'helper');
  const isWaitedFor = async () => isAnyAtWork(kid, await store.tree(top.id), store);
  await sweep(10_300);
  expect(await isWaitedFor()).toBe(true);
  await sweep(10_300.001);
  expect(await isWaitedFor()).toBe(false);
});

test('nobody waits for a copy whose maker died before it had a record', async () => {
  const { store, written } = await open({ status: 'idle' });
  await store.updateRun(written.id, (run) => ({ ...run, status: 'stopped' }));
  const { id, path } = childOf(top, 1, MAX_CALLS_PER_TURN + 1, 'top');
  await store.claimName({ id, path }, 'copy');
  expect(await isAnyAtWork(top, await store.tree(top.id), store)).toBe(false);
});

const failure = { error: 'Stopped', message: 'by a person' };
const ends: Partial<Run>[] = [
  { status: 'stopped', failure },
  { status: 'budget_exceeded', exceeded: 'budget exceeded' },
  { status: 'succeeded' },
];

test.each(ends)(
  'an agent that is written down for a caller that has ended meanwhile is stopped, and goes on with it: %o',
  async (end) => {
    const { store, written } = await open(end);
    expect(written).toMatchObject({ status: 'stopped', holder: 0, execution: '' });
    expect(await store.mails(top.id)).toEqual([]);
  },
);

test.each(ends)(
  'an agent that is written down after its whole tree has ended is stopped by a sweep if that function dies: %o',
  async (end) => {
    const { store, writeAndDie, sweep } = await open(end);
    const statuses = async () => (await store.tree(top.id)).map(({ status }) => status);
    await sweep(0);
    await expect(writeAndDie()).rejects.toThrow('the function dies');
    expect(await statuses()).toEqual([end.status, 'stopped', 'running']);
    await sweep(300);
    expect(await statuses()).toEqual([end.status, 'stopped', 'stopped']);
    expect(await store.mails(top.id)).toEqual([]);
  },
);

test('a call that starts an agent is told to have ended once it is known whether that agent could be started', async () => {
  const { store, written } = await open();
  const reader = createTreeReader({ id: top.id, root: top.id, path: '' }, store, loadOwnTools, () => at);
  const teller = createTeller({ id: top.id, root: top.id, path: '' });
  const ends = async () => {
    await reader.read();
    const events = [...teller.news(reader.records)].map(({ event }) => event);
    return events.flatMap((event) => (event.type === 'call_finished' ? [event.text] : []));
  };
  expect(await ends()).toEqual([]);
  const failure = { error: 'AgentError', message: 'no room' };
  await closeAhead(written, { status: 'failed', failure }, { store, now: at });
  expect(await ends()).toEqual([
    'Error: sub-agent "kid" failed - no room. You may retry or proceed without this result.',
  ]);
});
