import { expect, test } from 'vitest';
import { createTeller } from '../../../src/core/events/tell.ts';
import { createTreeReader } from '../../../src/core/events/tree-reader.ts';
import type { Run } from '../../../src/core/records/run.ts';
import { seconds } from '../../../src/core/records/times.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { loadOwnTools } from '../../../src/tools/load-own-tools.ts';
import { anOpened, aRun, aSubAgent, aTurn, keepRun } from '../../fixtures/records.ts';
import { call, use } from '../../fixtures/stage.ts';

const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
const ms = (second: number) => Date.parse(at(second));

const DELEGATE = { kind: 'delegate' as const, agent: 'kid', task: 'x', context: '' };

/** A sub-agent whose call has ended, in a turn of its caller's with so many calls, and what is news of it. */
async function aSubAgentThatHasEnded(
  kidTurn: Parameters<typeof aTurn>[0] = {},
  calls = 1,
  end: Partial<Run> = { status: 'succeeded' },
) {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  const top = aRun();
  const kid = aSubAgent(top, { ...end, endedAt: at(2) });
  for (const run of [top, kid]) {
    await keepRun(store, run);
    await store.saveOpened(run.id, anOpened());
  }
  const answer = { calls: Array.from({ length: calls }, () => call('kid', 'x')) };
  const plans = Array.from({ length: calls }, () => DELEGATE);
  await store.saveTurn(top.id, aTurn({ answer, plans, at: at(0) }));
  await store.saveTurn(kid.id, aTurn({ at: at(1), ...kidTurn }));
  const of = { id: top.id, root: top.id, path: '' };
  const reader = createTreeReader(of, store, loadOwnTools, Date.now);
  const teller = createTeller(of);
  const newsOf = async (agent: string) => {
    await reader.read();
    return [...teller.news(reader.records)].flatMap(({ event }) =>
      event.agent === agent ? [`${event.type} ${'turn' in event ? event.turn : ''}`.trim()] : [],
    );
  };
  const news = () => newsOf('kid');
  const leafNews = () => newsOf('leaf');
  const goOn = (holder: number, changes: Partial<Run>) =>
    store.updateRun(kid.id, (run) => ({ ...run, status: 'running', holder, ...changes }));
  const rest = (second: number) =>
    store.updateRun(kid.id, (run) => ({ ...run, status: 'succeeded', endedAt: at(second) }));
  return { top, kid, store, news, leafNews, goOn, rest };
}

/** The same where its caller has made the next turn, and ended. */
async function aToldSubAgent(kidTurn: Parameters<typeof aTurn>[0] = {}, end?: Partial<Run>) {
  const tree = await aSubAgentThatHasEnded(kidTurn, 1, end);
  const { top, store } = tree;
  const results = [{ callId: 'c1', name: 'call_agent', text: 'over', isError: false }];
  await store.saveTurn(top.id, aTurn({ number: 2, received: [{ role: 'tool', results }], at: at(3) }));
  await store.updateRun(top.id, (run) => ({ ...run, status: 'succeeded', endedAt: at(4) }));
  return tree;
}

/** A sub-agent of the sub-agent's that has ended. */
async function aLeafBelow(
  { kid, store }: Pick<Awaited<ReturnType<typeof aSubAgentThatHasEnded>>, 'kid' | 'store'>,
  second: number,
  end: Partial<Run>,
) {
  const leaf = aSubAgent(kid, { agent: 'leaf', path: 't1c1_t1c1', ...end, endedAt: at(second) });
  await keepRun(store, leaf);
  await store.saveOpened(leaf.id, anOpened());
  await store.saveTurn(leaf.id, aTurn({ at: at(second) }));
  return leaf;
}

test('what a sub-agent does is told, however often it is woken before anybody looks again', async () => {
  const { kid, store, news, goOn, rest } = await aToldSubAgent();
  expect(await news()).toEqual(['run_opened', 'turn_started 1', 'turn_finished 1', 'run_closed']);
  await goOn(2, { resumedAt: at(5), gaps: [['gap', ms(2), ms(5)]] });
  await store.saveTurn(kid.id, aTurn({ number: 2, at: at(6) }));
  await rest(6);
  const gaps: Run['gaps'] = [
    ['gap', ms(2), ms(5)],
    ['gap', ms(6), ms(7)],
  ];
  await goOn(3, { resumedAt: at(7), gaps });
  expect(await news()).toEqual(['run_opened', 'turn_started 2', 'turn_finished 2']);
  await store.saveTurn(kid.id, aTurn({ number: 3, at: at(8) }));
  await rest(8);
  expect(await news()).toEqual(['turn_started 3', 'turn_finished 3', 'run_closed']);
});

test('a turn of a sub-agent is told whose text hooks were asked about until the sub-agent went on', async () => {
  const { kid, store, news, goOn, rest } = await aToldSubAgent();
  expect(await news()).toEqual(['run_opened', 'turn_started 1', 'turn_finished 1', 'run_closed']);
  await goOn(2, { resumedAt: at(5), gaps: [['gap', ms(3), ms(5)]] });
  await store.saveTurn(kid.id, aTurn({ number: 2, at: at(2), shownAt: at(6) }));
  await rest(6);
  expect(await news()).toEqual(['run_opened', 'turn_started 2', 'turn_finished 2', 'run_closed']);
});

test('what a sub-agent does is told that is woken, and done, while its caller waits for another one', async () => {
  const { top, kid, store, news, goOn, rest } = await aSubAgentThatHasEnded({}, 2);
  const other = aSubAgent(top, { path: 't1c2' });
  await keepRun(store, other);
  await store.saveOpened(other.id, anOpened());
  await store.saveTurn(other.id, aTurn({ at: at(1) }));
  expect((await news()).slice(0, 4)).toEqual([
    'run_opened',
    'turn_started 1',
    'turn_finished 1',
    'run_closed',
  ]);
  await goOn(2, { resumedAt: at(3), gaps: [['gap', ms(2), ms(3)]] });
  await store.saveTurn(kid.id, aTurn({ number: 2, at: at(4) }));
  await rest(4);
  await store.updateRun(other.id, (run) => ({ ...run, status: 'succeeded', endedAt: at(5) }));
  const results = ['c1', 'c2'].map((callId) => ({
    callId,
    name: 'call_agent',
    text: 'over',
    isError: false,
  }));
  await store.saveTurn(top.id, aTurn({ number: 2, received: [{ role: 'tool', results }], at: at(6) }));
  expect(await news()).toEqual([
    'run_closed',
    'run_opened',
    'turn_started 2',
    'turn_finished 2',
    'run_closed',
  ]);
  await store.saveTurn(top.id, aTurn({ number: 3, at: at(7) }));
  expect(await news()).toEqual([]);
});

test('what a run does is told that goes on in the same execution, even if nobody looks until it rests again', async () => {
  const { kid, store, news, goOn, rest } = await aSubAgentThatHasEnded();
  expect(await news()).toEqual(['run_opened', 'turn_started 1', 'turn_finished 1', 'run_closed']);
  await goOn(kid.holder, { resumedAt: at(3) });
  await store.saveTurn(kid.id, aTurn({ number: 2, at: at(4) }));
  await rest(5);
  expect(await news()).toEqual(['run_opened', 'turn_started 2', 'turn_finished 2', 'run_closed']);
  expect(await news()).toEqual([]);
});

test('what a sub-agent does is told that goes on for a while although its caller was ended', async () => {
  const { top, kid, store, news, goOn, rest } = await aSubAgentThatHasEnded();
  await goOn(2, {});
  expect(await news()).toEqual(['run_opened', 'turn_started 1', 'turn_finished 1']);
  const failure = { error: 'Stopped', message: 'enough' };
  await store.updateRun(top.id, (run) => ({ ...run, status: 'stopped', failure, endedAt: at(3) }));
  expect(await news()).toEqual([]);
  await store.saveTurn(kid.id, aTurn({ number: 2, at: at(4) }));
  expect(await news()).toEqual(['turn_started 2', 'turn_finished 2']);
  await rest(5);
  expect(await news()).toEqual(['run_closed']);
  await goOn(3, { resumedAt: at(6), isForPerson: true });
  await store.saveTurn(kid.id, aTurn({ number: 3, at: at(7) }));
  expect(await news()).toEqual(['run_opened', 'turn_started 3', 'turn_finished 3']);
  // Its caller goes on with the call, and is told to.
  await store.updateRun(top.id, (run) => ({ ...run, status: 'running', holder: 2 }));
  await rest(8);
  expect(await news()).toEqual(['run_closed']);
});

test('what the sub-agents of a redriven agent do is told, even before its own record says that it goes on', async () => {
  const stopped: Partial<Run> = { status: 'stopped', failure: { error: 'Stopped', message: 'enough' } };
  const plans = [{ ...DELEGATE, agent: 'leaf' }];
  const calls = { answer: { calls: [call('leaf', 'x')] }, plans };
  const { top, kid, store, news, goOn, leafNews } = await aSubAgentThatHasEnded(calls, 1, stopped);
  const leaf = await aLeafBelow({ kid, store }, 2, stopped);
  await news();
  const results = [{ callId: 'c1', name: 'call_agent', text: 'over', isError: true }];
  await store.saveTurn(top.id, aTurn({ number: 2, received: [{ role: 'tool', results }], at: at(3) }));
  await store.saveTurn(top.id, aTurn({ number: 3, at: at(3) }));
  await news();
  const again: Partial<Run> = { status: 'running', holder: 2, parentHolder: 2, resumedAt: at(4) };
  await store.updateRun(leaf.id, ({ failure: _none, ...run }) => ({ ...run, ...again }));
  await store.updateRun(leaf.id, (run) => ({ ...run, status: 'succeeded', endedAt: at(5) }));
  await goOn(2, { resumedAt: at(6) });
  expect(await leafNews()).toEqual(['run_opened', 'run_closed']);
});

/** The same of a sub-agent that had called another one, which has ended. */
async function aToldCaller(end?: Partial<Run>) {
  const plans = [{ ...DELEGATE, agent: 'leaf' }];
  const tree = await aToldSubAgent({ answer: { calls: [call('leaf', 'x')] }, plans }, end);
  const { store } = tree;
  const leaf = await aLeafBelow(tree, 1, { status: 'succeeded' });
  /** Lets the other one be woken, and answer once more. */
  const leafGoesOn = async (second: number, changes: Partial<Run> = {}) => {
    const again: Partial<Run> = { status: 'running', holder: 2, resumedAt: at(second), ...changes };
    await store.updateRun(leaf.id, (run) => ({ ...run, ...again }));
    await store.saveTurn(leaf.id, aTurn({ number: 2, at: at(second + 1) }));
    await store.updateRun(leaf.id, (run) => ({ ...run, status: 'succeeded', endedAt: at(second + 1) }));
  };
  return { ...tree, leafGoesOn };
}

const WENT_ON = ['run_opened', 'turn_started 2', 'turn_finished 2', 'run_closed'];

test('what an agent and its sub-agent do is told that were both woken, and done, before anybody looks again', async () => {
  const { kid, store, news, leafNews, leafGoesOn, goOn, rest } = await aToldCaller();
  const results = [{ callId: 'c1', name: 'call_agent', text: 'over', isError: false }];
  await store.saveTurn(kid.id, aTurn({ number: 2, received: [{ role: 'tool', results }], at: at(2) }));
  await news();
  await goOn(2, { resumedAt: at(5) });
  await store.saveTurn(kid.id, aTurn({ number: 3, at: at(6) }));
  await rest(6);
  await leafGoesOn(6);
  expect(await leafNews()).toEqual(WENT_ON);
  expect(await leafNews()).toEqual([]);
});

test('what a sub-agent does is told that a person wakes after the time of its caller was over', async () => {
  const late: Partial<Run> = {
    status: 'timed_out',
    failure: { error: 'States.Timeout', message: 'too late' },
  };
  const { news, leafNews, leafGoesOn } = await aToldCaller(late);
  await news();
  await leafGoesOn(5, { isForPerson: true });
  expect(await leafNews()).toEqual(WENT_ON);
  expect(await leafNews()).toEqual([]);
});

test('calls of a last turn that were not made are told to have failed when the sub-agent goes on', async () => {
  const plan = {
    kind: 'invoke' as const,
    subject: 'x',
    writes: false,
    isRepeatable: true,
    seconds: seconds(60),
  };
  const { kid, store, news, goOn, rest } = await aToldSubAgent({
    answer: { calls: [use('read_file', { path: 'x' })] },
    plans: [plan],
    exceeded: 'over',
  });
  expect(await news()).toEqual(['run_opened', 'turn_started 1', 'turn_finished 1', 'run_closed']);
  await goOn(2, { resumedAt: at(5), gaps: [['gap', ms(2), ms(5)]] });
  const results = [
    { callId: 'c1', name: 'read_file', text: 'Error: read_file failed - no result', isError: true },
  ];
  await store.saveTurn(kid.id, aTurn({ number: 2, received: [{ role: 'tool', results }], at: at(6) }));
  await rest(6);
  expect(await news()).toEqual([
    'run_opened',
    'call_started 1',
    'call_finished 1',
    'turn_started 2',
    'turn_finished 2',
    'run_closed',
  ]);
});
