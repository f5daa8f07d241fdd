import { expect, test } from 'vitest';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { createTeller } from '../../../src/core/events/tell.ts';
import type { ToldEvent } from '../../../src/core/events/tree-event.ts';
import { createTreeReader } from '../../../src/core/events/tree-reader.ts';
import { loadOwnTools } from '../../../src/tools/load-own-tools.ts';
import { call, latch, openStage, use, type Role } from '../../fixtures/stage.ts';
import { aDelegation, aFork, anOpened, aRun, aSubAgent, aTurn, keepRun } from '../../fixtures/records.ts';
import { follow, listed } from './harness.ts';

const isForked = ({ request }: Parameters<Role>[0]) =>
  request.messages.some((message) => message.role === 'user' && message.text.includes('forked by'));

test('the events of forks are told as they happen, and the same afterwards', async () => {
  const hasSeen = latch();
  const top: Role = async (asked) => {
    if (isForked(asked)) {
      await hasSeen.opened;
      return 'forked';
    }
    if (asked.turn === 1) return [use('fork', { prompt: 'p', name: 'a' })];
    return asked.turn === 2 ? 'first' : 'last';
  };
  const { pipeline, run } = await openStage({ top }, { top: 'tools = ["fork"]\n' });
  const ended = run();
  let id = '';
  while (id === '') {
    for await (const { id: newest } of pipeline.store.roots(1)) id = newest;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const told = async (isLive: boolean) => {
    const events: string[] = [];
    for await (const { event } of follow({ id }, pipeline.store)) {
      events.push(`${event.run === id ? 'top' : 'fork'} ${event.type}`);
      const isWaiting = events.filter((each) => each === 'top turn_finished').length === 2;
      if (isLive && isWaiting && events.includes('fork run_opened')) hasSeen.open();
    }
    return events;
  };
  const live = await told(true);
  await ended;
  const after = await told(false);
  expect(after.toSorted()).toEqual(live.toSorted());
  expect(live.filter((each) => each.startsWith('fork'))).toEqual(
    after.filter((each) => each.startsWith('fork')),
  );
  expect(after.filter((each) => each.startsWith('fork'))).toEqual([
    'fork run_opened',
    'fork turn_started',
    'fork turn_finished',
    'fork run_closed',
  ]);
  expect(after.filter((each) => each.startsWith('top'))).toEqual([
    'top run_opened',
    'top turn_started',
    'top turn_finished',
    'top call_started',
    'top call_finished',
    'top turn_started',
    'top turn_finished',
    'top turn_started',
    'top turn_finished',
    'top run_closed',
  ]);
});

test.each([
  ['told of where the fork began before its maker had ended', 1, ['call_finished']],
  ['left out where that came later, as nobody was told of it while it happened', 5, []],
])('the end of a call that makes a fork is %s', async (_, second, ends) => {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  const at = (seconds: number) => `2026-01-01T00:00:0${seconds}.000Z`;
  const top = aRun({ status: 'succeeded', endedAt: at(2) });
  const fork = aFork(top, { startedAt: at(second) });
  for (const run of [top, fork]) {
    await keepRun(store, run);
    await store.saveOpened(run.id, anOpened());
  }
  const plan = { kind: 'start', agent: 'top', name: 'helper', task: 'x' } as const;
  await store.saveTurn(
    top.id,
    aTurn({ answer: { calls: [use('fork', { prompt: 'x' })] }, plans: [plan], at: at(0) }),
  );
  const told = (await listed({ id: top.id, root: top.id, path: '' }, store)).map(({ event }) => event);
  const ofTop = told.filter(({ run }) => run === top.id).map(({ type }) => type);
  expect(ofTop).toEqual([
    'run_opened',
    'turn_started',
    'turn_finished',
    'call_started',
    ...ends,
    'run_closed',
  ]);
});

/** A fork that a person makes of an agent that has answered, and writes to later. */
const resident: Role = (asked) => (isTold(asked) ? 'the copy' : 'the answer');
const isTold = ({ request }: Parameters<Role>[0]) =>
  request.messages.some((message) => message.role === 'user' && message.text.includes('p1'));

test('a copy that a person makes is in the list, after the turn that it was made from', async () => {
  const { pipeline, environment, run } = await openStage({ top: resident }, { top: 'tools = ["fork"]\n' });
  const ended = await run();
  const { id } = ended.run;
  const fork = await environment.fork(ended.run);
  const listed = async () => {
    const events: string[] = [];
    for await (const { event } of follow({ id }, pipeline.store)) {
      events.push(`${event.run === id ? 'top' : 'fork'} ${event.type}`);
    }
    return events;
  };
  const made = ['fork run_opened', 'fork run_closed'];
  expect(await listed()).toEqual([
    'top run_opened',
    'top turn_started',
    'top turn_finished',
    ...made,
    'top run_closed',
  ]);
  await environment.send({ run: fork.id, text: 'p1' });
  await environment.ended(fork.id, { wholeTree: true });
  expect((await listed()).filter((each) => each.startsWith('fork'))).toEqual([
    'fork run_opened',
    'fork turn_started',
    'fork turn_finished',
    'fork run_closed',
  ]);
});

test('who follows a tree whose top has ended hears of a fork that is woken', async () => {
  const { environment, run } = await openStage({ top: resident }, { top: 'tools = ["fork"]\n' });
  const ended = await run();
  const { id } = ended.run;
  const fork = await environment.fork(ended.run);
  const leaves = new AbortController();
  const from = await environment.told(id);
  const events: string[] = [];
  await environment.send({ run: fork.id, text: 'p1' });
  for await (const { event } of environment.follow(id, { from, signal: leaves.signal })) {
    events.push(`${event.run === fork.id ? 'fork' : 'top'} ${event.type}`);
    if (event.type === 'run_closed') leaves.abort();
  }
  expect(events).toEqual(['fork run_opened', 'fork turn_started', 'fork turn_finished', 'fork run_closed']);
});

test('who was told that a fork is idle is told that it is killed', async () => {
  const { environment, run } = await openStage({ top: resident }, { top: 'tools = ["fork"]\n' });
  const ended = await run();
  const { id } = ended.run;
  const fork = await environment.fork(ended.run);
  const from = await environment.told(id);
  await environment.kill(fork);
  const events: string[] = [];
  const { signal } = new AbortController();
  for await (const { event } of environment.follow(id, { from, signal, until: 'rest' }))
    events.push(event.type === 'run_closed' ? `${event.type} ${event.status} ${event.error}` : event.type);
  expect(events).toEqual(['run_opened', 'run_closed stopped Killed']);
  const now = await environment.told(id);
  for await (const { event } of environment.follow(id, { from: now, signal, until: 'rest' }))
    expect.unreachable(event.type);
});

/** A tree whose top has called a sub-agent, which a person writes to after that; its model waits to be let go. */
async function writeToSubAgent() {
  const [asked, mayAnswer] = [latch(), latch()];
  const kid: Role = async (each) => {
    if (!isTold(each)) return 'done';
    asked.open();
    await mayAnswer.opened;
    return 'done once more';
  };
  const top: Role = ({ turn }) => (turn === 1 ? [call('kid', 'x')] : 'the answer');
  const { environment, pipeline, run } = await openStage(
    { top, kid },
    { top: 'sub_agents = ["kid"]\n', kid: '' },
  );
  const { id } = (await run()).run;
  const from = await environment.told(id);
  await environment.send({ run: id.replace('top', 'kid') + '-t1c1', text: 'p1' });
  await asked.opened;
  return { id, from, environment, store: pipeline.store, mayAnswer };
}

test('who follows a tree hears what a sub-agent does for a message after its call has ended', async () => {
  const { id, from, environment, store, mayAnswer } = await writeToSubAgent();
  const far = follow({ id }, store, { from });
  const near = environment.follow(id, { from, signal: new AbortController().signal, until: 'rest' });
  const namesIn = async (told: AsyncIterable<ToldEvent>) => {
    const names: string[] = [];
    for await (const { event } of told) {
      names.push(`${event.agent} ${event.type}`);
      mayAnswer.open();
    }
    return names;
  };
  const heard = ['kid run_opened', 'kid turn_started', 'kid turn_finished', 'kid run_closed'];
  expect(await Promise.all([namesIn(far), namesIn(near)])).toEqual([heard, heard]);
  // Who follows it from the beginning is told once.
  const all = await namesIn(follow({ id }, store));
  expect(all.filter((name) => name.startsWith('kid'))).toEqual([
    'kid run_opened',
    'kid turn_started',
    'kid turn_finished',
    'kid turn_started',
    'kid turn_finished',
    'kid run_closed',
  ]);
});

test('who follows a tree hears of a sub-agent that is woken although its caller came to its budget with the call', async () => {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
  const top = aRun({ status: 'succeeded', endedAt: at(5) });
  const mid = aSubAgent(top, { agent: 'mid', status: 'budget_exceeded', exceeded: 'over', endedAt: at(3) });
  const kid = aSubAgent(mid, { path: 't1c1_t1c1', status: 'succeeded', endedAt: at(2) });
  for (const run of [top, mid, kid]) {
    await keepRun(store, run);
    await store.saveOpened(run.id, anOpened());
  }
  const delegating = (agent: string, second: number) => {
    const plan = { kind: 'delegate' as const, agent, task: 'x', context: '' };
    return aTurn({ answer: { calls: [call(agent, 'x')] }, plans: [plan], at: at(second) });
  };
  await store.saveTurn(top.id, delegating('mid', 0));
  await store.saveTurn(mid.id, delegating('kid', 1));
  await store.saveTurn(kid.id, aTurn({ at: at(2) }));
  const results = [{ callId: 'c1', name: 'call_agent', text: 'over', isError: false }];
  await store.saveTurn(top.id, aTurn({ number: 2, received: [{ role: 'tool', results }], at: at(4) }));
  const reader = createTreeReader({ id: top.id, root: top.id, path: '' }, store, loadOwnTools, Date.now);
  const teller = createTeller({ id: top.id, root: top.id, path: '' });
  const news = async () => {
    await reader.read();
    return [...teller.news(reader.records)].map(({ event }) => `${event.agent} ${event.type}`);
  };
  expect(await news()).toContain('top run_closed');
  await store.saveTurn(kid.id, aTurn({ number: 2, at: at(7) }));
  await store.updateRun(kid.id, (run) => ({ ...run, holder: 2, status: 'running', resumedAt: at(6) }));
  await store.updateRun(kid.id, (run) => ({ ...run, status: 'succeeded', endedAt: at(7) }));
  expect(await news()).toEqual(['kid run_opened', 'kid turn_started', 'kid turn_finished', 'kid run_closed']);
});

test.each([
  ['that was acknowledged', '{"child_uuid":"x"}', false],
  ['that seemed to fail', 'Error: fork failed - throttled', true],
])('a call of fork %s ends as it was told, although the fork is opened later', async (_, text, isError) => {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  const top = aRun({ status: 'succeeded' });
  await keepRun(store, top);
  await store.saveOpened(top.id, anOpened({ delegation: aDelegation({ ways: ['fork'] }) }));
  const plan = { kind: 'start' as const, agent: 'top', name: 'a', task: 'p', context: '' };
  await store.saveTurn(top.id, aTurn({ answer: { calls: [use('fork', {})] }, plans: [plan] }));
  const results = [{ callId: 'c1', name: 'fork', text, isError }];
  const at = '2026-01-01T00:00:05.000Z';
  await store.saveTurn(top.id, aTurn({ number: 2, received: [{ role: 'tool', results }], at }));
  const ends = async () =>
    (await listed({ id: top.id, root: top.id, path: '' }, store)).flatMap(({ at: endedAt, event }) =>
      event.type === 'call_finished' ? [{ endedAt, event }] : [],
    );
  const live = await ends();
  expect(live).toMatchObject([{ event: { text, isError } }]);
  await keepRun(store, aFork(top, { status: 'running', startedAt: '2026-01-01T00:00:20.000Z' }));
  expect(await ends()).toEqual(live);
});
