import { expect, test } from 'vitest';
import type { RunEvent } from '../../../src/core/events/event.ts';
import { fromCursor } from '../../../src/core/events/positions.ts';
import type { RunStore } from '../../../src/core/records/ports.ts';
import type { Run } from '../../../src/core/records/run.ts';
import { createFollow } from '../../../src/places/follow/follow.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { createFeed } from '../../../src/places/follow/feed.ts';
import { aFork, anOpened, aRun, aSubAgent, aTurn, keepRun } from '../../fixtures/records.ts';
import { call, use } from '../../fixtures/stage.ts';

test('who follows a tree from where it has come to reads nothing again of the runs that had ended', async () => {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  const top = aRun();
  const kid = aSubAgent(top, { status: 'succeeded' });
  for (const run of [top, kid]) {
    await keepRun(store, run);
    await store.saveOpened(run.id, anOpened());
    await store.saveTurn(run.id, aTurn({ answer: { text: 'so' } }));
  }
  const read: string[] = [];
  const noted: RunStore = {
    ...store,
    turns(id) {
      read.push(id);
      return store.turns(id);
    },
  };
  const feed = createFeed();
  const { told, follow } = createFollow({ store: noted, isCarriedOut: async () => true, pollMs: 1, feed });
  const from = await told(top.id);
  expect(read).toEqual([top.id, kid.id]);
  const events = follow(top.id, { from, signal: new AbortController().signal, until: Promise.resolve() });
  for await (const told of events) expect.unreachable(told.event.type);
  expect(read).toEqual([top.id, kid.id]);
});

/** A tree of these runs, and what one of them does according to one who follows it and comes back for each look. */
async function aReturningFollower(top: Run, other: Run) {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  for (const run of [top, other]) {
    await keepRun(store, run);
    await store.saveOpened(run.id, anOpened());
  }
  let [cursor, looks] = ['', 0];
  /** @param second when it looks @param of whose events are given */
  const news = async (second: number, of = other.id) => {
    const now = () => ms(second);
    const { follow } = createFollow({ store, isCarriedOut: async () => true, pollMs: 1, now });
    const from = fromCursor(top.id, cursor);
    expect(from === undefined).toBe(looks === 0);
    looks += 1;
    const events: RunEvent[] = [];
    const { signal } = new AbortController();
    for await (const told of follow(top.id, { from, signal, until: Promise.resolve() })) {
      events.push(told.event);
      cursor = told.cursor();
    }
    return events.filter(({ run }) => run === of);
  };
  return { store, news };
}

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const ms = (second: number) => Date.parse(at(second));
const named = (event: RunEvent) => `${event.type} ${'turn' in event ? event.turn : ''}`.trim();

test('who comes back is told what a fork answered before a turn that came to nothing', async () => {
  const top = aRun();
  const fork = aFork(top);
  const { store, news } = await aReturningFollower(top, fork);
  const plan = { kind: 'start' as const, agent: 'top', name: 'top-fork', task: 'x', context: '' };
  await store.saveTurn(top.id, aTurn({ answer: { calls: [use('fork', {})] }, plans: [plan] }));
  await store.saveTurn(fork.id, aTurn({ answer: { text: 'so' } }));
  const begun = { turn: 2, at: ms(1), messages: 1, pendingCalls: 0 };
  await store.updateRun(fork.id, (run) => ({ ...run, begun }));
  expect((await news(1)).map(named)).toEqual([
    'run_opened',
    'turn_started 1',
    'turn_finished 1',
    'turn_started 2',
  ]);
  const passedOver = { turn: 1, at: at(2), reason: 'too dear' };
  await store.updateRun(fork.id, (run) => ({ ...run, status: 'idle', endedAt: at(2), passedOver }));
  expect(await news(2)).toMatchObject([{ type: 'run_closed', status: 'idle', text: 'so' }]);
});

test('who comes back is told, once, of a copy that was stopped with its tree, and is idle again', async () => {
  const top = aRun({ status: 'succeeded', endedAt: at(1) });
  const failure = { error: 'Stopped', message: 'enough' };
  const fork = aFork(top, { status: 'stopped', failure, execution: '', holder: 1 });
  const { store, news } = await aReturningFollower(top, fork);
  await store.saveTurn(top.id, aTurn());
  expect((await news(1)).map(named)).toEqual(['run_opened', 'run_closed']);
  await store.updateRun(fork.id, ({ failure: _failure, ...run }) => ({ ...run, status: 'idle' }));
  expect(await news(2)).toMatchObject([{ type: 'run_opened' }, { type: 'run_closed', status: 'idle' }]);
  expect(await news(3)).toEqual([]);
});

/** A sub-agent whose call has ended, and one who follows its tree. */
async function aToldSubAgent() {
  const top = aRun();
  const kid = aSubAgent(top, { status: 'succeeded', endedAt: at(2) });
  const plan = { kind: 'delegate' as const, agent: 'kid', task: 'x', context: '' };
  const results = [{ callId: 'c1', name: 'call_agent', text: 'over', isError: false }];
  const received = [{ role: 'tool' as const, results }];
  const { store, news } = await aReturningFollower(top, kid);
  await store.saveTurn(top.id, aTurn({ answer: { calls: [call('kid', 'x')] }, plans: [plan], at: at(0) }));
  await store.saveTurn(kid.id, aTurn({ at: at(1) }));
  await store.saveTurn(top.id, aTurn({ number: 2, received, at: at(3) }));
  await store.saveTurn(top.id, aTurn({ number: 3, at: at(4) }));
  return { top, kid, plan, received, store, news };
}

test('who comes back is told what a sub-agent did that was started and over since by one that was woken after its call', async () => {
  const { kid, plan, received, store, news } = await aToldSubAgent();
  await news(5);
  const gaps: Run['gaps'] & {} = [['gap', ms(10), ms(90)]];
  await store.updateRun(kid.id, (run) => ({ ...run, status: 'running', holder: 2, resumedAt: at(90), gaps }));
  const plans = [{ ...plan, agent: 'leaf' }];
  await store.saveTurn(
    kid.id,
    aTurn({ number: 2, answer: { calls: [call('leaf', 'x')] }, plans, at: at(91) }),
  );
  const parent = { run: kid.id, turn: 2, call: 1 };
  const times = { startedAt: at(91), endedAt: at(93) };
  const leaf = {
    ...aSubAgent(kid, { agent: 'leaf', path: 't1c1_t2c1', status: 'succeeded', ...times }),
    parent,
  };
  await keepRun(store, leaf);
  await store.saveOpened(leaf.id, anOpened());
  await store.saveTurn(leaf.id, aTurn({ at: at(92) }));
  await store.saveTurn(kid.id, aTurn({ number: 3, received, at: at(94) }));
  await store.updateRun(kid.id, (run) => ({ ...run, status: 'succeeded', endedAt: at(95) }));
  expect((await news(96, leaf.id)).map(named)).toEqual([
    'run_opened',
    'turn_started 1',
    'turn_finished 1',
    'run_closed',
  ]);
});

test('who comes back is told, once, what a sub-agent did that was woken after its call, and rested again', async () => {
  const { top, kid, store, news } = await aToldSubAgent();
  expect((await news(5)).map(named)).toEqual([
    'run_opened',
    'turn_started 1',
    'turn_finished 1',
    'run_closed',
  ]);
  for (const [turn, second] of [
    [2, 90],
    [3, 190],
  ] as const) {
    const resumedAt = at(second);
    const gap: [kind: 'gap', from: number, to: number] = ['gap', ms(second - 80), ms(second)];
    await store.updateRun(kid.id, ({ gaps = [], ...run }) => ({
      ...run,
      status: 'running',
      holder: run.holder + 1,
      resumedAt,
      gaps: [...gaps, gap],
    }));
    await store.saveTurn(kid.id, aTurn({ number: turn, at: at(second + 1) }));
    await store.updateRun(kid.id, (run) => ({ ...run, status: 'succeeded', endedAt: at(second + 2) }));
    expect((await news(second + 5)).map(named)).toEqual([
      'run_opened',
      `turn_started ${turn}`,
      `turn_finished ${turn}`,
      'run_closed',
    ]);
    await store.saveTurn(top.id, aTurn({ number: turn + 2, at: at(second + 6) }));
    expect(await news(second + 7)).toEqual([]);
    expect(await news(second + 8)).toEqual([]);
  }
  await store.updateRun(top.id, (run) => ({ ...run, status: 'succeeded', endedAt: at(200) }));
  expect(await news(200)).toEqual([]);
});
