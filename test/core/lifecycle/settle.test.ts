import { describe, expect, onTestFinished, test } from 'vitest';
import { noticed } from '../../../src/places/follow/notices.ts';
import { openLocalStore } from '../../../src/places/local/local-store.ts';
import type { RunEvent } from '../../../src/core/events/event.ts';
import type { Run } from '../../../src/core/records/run.ts';
import { NOTHING_RUNS } from '../../../src/core/lifecycle/ports.ts';
import { endEvent, settleRun } from '../../../src/core/lifecycle/settle.ts';
import { Death } from '../../fixtures/mortal.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { aFork, aRun, aSubAgent, keepRun } from '../../fixtures/records.ts';

const id = 'top-00000000000000';
const execution = 'arn:aws:states:us-east-1:123456789012:execution:cadre:top-00000000000000';
const running = aRun({ model: 'offline/extractive', execution });
const END = Date.parse('2026-01-01T00:00:05.000Z');

async function openWith(run: Run) {
  const { runs, close } = await openLocalStore(await tempFolder());
  onTestFinished(close);
  await keepRun(runs, run);
  const events: RunEvent[] = [];
  const { store } = noticed(runs, (event) => void events.push(event));
  const ports = {
    ...NOTHING_RUNS,
    store,
    now: () => END,
  };
  return {
    events,
    store,
    ports,
    settle: (detail: object) =>
      settleRun({ detail: { executionArn: execution, name: id, ...detail } }, ports),
    record: () => store.run(id),
  };
}

const failedWith = (error: string, cause: string) => ({ status: 'FAILED', error, cause });
const thrown = (errorMessage: string) => JSON.stringify({ errorType: 'X', errorMessage, trace: [] });

test('the end of an execution whose run has no record yet is said to be unknown', async () => {
  const { settle } = await openWith(running);
  expect(await settle({ name: 'other-00000000000001', status: 'ABORTED' })).toBe(false);
  expect(await settle({ status: 'ABORTED' })).toBe(true);
});

test('a failure is told of once, although the process that told of it died before it was recorded', async () => {
  const { store, ports } = await openWith(running);
  const arn = (name: string) => execution.replace(id, name);
  const fork = aFork(running, { execution: arn(`${id}-t1c1`) });
  await keepRun(store, fork);
  const end = (name: string) => ({
    detail: { executionArn: arn(name), name, ...failedWith('ModelError', thrown('server: no')) },
  });
  const dying: typeof store = {
    ...store,
    updateRun: async (run, ...given) => {
      if (run === fork.id) throw new Death();
      return store.updateRun(run, ...given);
    },
  };
  await expect(settleRun(end(fork.id), { ...ports, store: dying })).rejects.toThrow(Death);
  expect(await store.run(fork.id)).toMatchObject({ status: 'running' });
  const resumed = { holder: 2, execution: arn(`${fork.id}-r2`) };
  await store.updateRun(fork.id, (run) => ({ ...run, ...resumed }));
  await settleRun(end(`${fork.id}-r2`), ports);
  expect(await store.run(fork.id)).toMatchObject({ status: 'failed' });
  expect(await store.mails(id)).toMatchObject([
    { kind: 'report', from: fork.id, body: expect.stringContaining('server: no') },
  ]);
});

describe('the end of an execution', () => {
  test.each([
    [
      'a function that threw',
      failedWith('ModelError', thrown('server: no')),
      'failed',
      { error: 'ModelError', message: 'server: no' },
    ],
    [
      'a fault of the service',
      failedWith('States.Runtime', 'too many events'),
      'failed',
      { error: 'States.Runtime', message: 'too many events' },
    ],
    [
      'a fault without a cause',
      failedWith('Lambda.Unknown', ''),
      'failed',
      { error: 'Lambda.Unknown', message: 'Lambda.Unknown' },
    ],
    [
      'a model that was late',
      failedWith('ModelError', thrown('timeout: no answer within the 9s that the run was given')),
      'timed_out',
      { error: 'ModelError', message: 'timeout: no answer within the 9s that the run was given' },
    ],
    [
      "a model's API that gave up on its own",
      failedWith('ModelError', thrown('timeout: no answer from http://127.0.0.1')),
      'failed',
      { error: 'ModelError', message: 'timeout: no answer from http://127.0.0.1' },
    ],
    [
      'a state that took too long',
      failedWith('States.Timeout', ''),
      'timed_out',
      { error: 'States.Timeout', message: 'timeout: the run took too long' },
    ],
    [
      'a state that took too long, as the execution itself may tell it',
      failedWith('Timeout', 'Timeout'),
      'timed_out',
      { error: 'States.Timeout', message: 'timeout: the run took too long' },
    ],
    [
      'an execution that took too long',
      { status: 'TIMED_OUT', error: null, cause: null },
      'timed_out',
      { error: 'States.Timeout', message: 'timeout: the run took too long' },
    ],
    [
      'a stop with a reason',
      { status: 'ABORTED', error: null, cause: 'enough' },
      'stopped',
      { error: 'Stopped', message: 'enough' },
    ],
    ['a stop without one', { status: 'ABORTED' }, 'stopped', { error: 'Stopped', message: 'it was stopped' }],
  ])('closes the record after %s', async (_, detail, status, failure) => {
    const { settle, record, events } = await openWith(running);
    await settle(detail);
    const endedAt = '2026-01-01T00:00:05.000Z';
    const kind = failure.error === 'ModelError' ? 'model' : 'own';
    const none = { own: 0, model: 0, tool: 0, agents: 0, messages: 0, person: 0, idle: 0, gap: 0 };
    const times = { times: { ...none, [kind]: 5_000 }, spans: [[kind, 5_000]] };
    expect(await record()).toEqual({ ...running, ...times, status, failure, endedAt, characters: 0 });
    expect(events).toEqual([
      {
        type: 'run_closed',
        run: id,
        root: id,
        agent: 'top',
        model: 'offline/extractive',
        depth: 0,
        status,
        durationMs: 5000,
        characters: 0,
        text: '',
        error: failure.error,
        // in the words that a parent's model reads
        reason: status === 'timed_out' ? 'timeout after 9s' : failure.message,
      },
    ]);
  });
});

describe('the end of the execution that carries a run closes it', () => {
  const stop = { status: 'ABORTED' };
  test.each([
    ['after it was redriven', 2, { ...stop, redriveCount: 1 }],
    [
      'after the run was resumed in it',
      4,
      { ...stop, input: JSON.stringify({ run: id, holder: 3 }), redriveCount: 1 },
    ],
    ['by its name only', 3, { ...stop, name: `${id}-r2-d1`, input: null }],
  ])('%s', async (_, holder, detail) => {
    const { settle, record } = await openWith({ ...running, holder });
    await settle(detail);
    expect(await record()).toMatchObject({ status: 'stopped', holder });
  });
});

test.each([
  ['was redriven', { redriveCount: 1 }, execution],
  ['the run was resumed in', { name: `${id}-r2`, executionArn: `${execution}-r2` }, `${execution}-r2`],
])(
  'an execution that %s and that ended before it could carry the run is written down',
  async (_, detail, by) => {
    const failed: Run = { ...running, status: 'failed', failure: { error: 'X', message: 'before' } };
    const { settle, record } = await openWith(failed);
    await settle({ ...failedWith('StoreUnavailableError', thrown('later')), ...detail });
    expect(await record()).toMatchObject({
      status: 'failed',
      failure: { error: 'StoreUnavailableError', message: 'later' },
      holder: 2,
      execution: by,
    });
  },
);

const STOP = { error: 'Stopped', message: 'enough' };

test.each<[string, Partial<Run>, string]>([
  ['that it was stopped, but what it has begun again since', { failure: STOP }, 'running'],
  ['of the execution that has begun it', { failure: STOP, holder: 2 }, 'stopped'],
])('late news of an execution ends all below it: %s', async (_, closed, status) => {
  const { store, ports, record } = await openWith({ ...running, status: 'stopped', ...closed });
  // As the first step of a redriven execution finds it, in the middle of a turn.
  const before = aSubAgent(running, { agent: 'before', execution: `${execution}-t1c1` });
  const again = aSubAgent(running, {
    agent: 'again',
    path: 't1c2',
    execution: `${execution}-t1c2-d1`,
    holder: 2,
    parentHolder: 2,
  });
  const below = aSubAgent(again, { agent: 'below', path: 't1c2_t1c1', execution: `${execution}-b` });
  for (const run of [before, again, { ...below, parentHolder: 1 }]) await keepRun(store, run);
  const { holder = 1 } = (await record()) ?? {};
  await settleRun(endEvent({ id, holder, execution }, { status: 'ABORTED' }), ports);
  const left = (await store.tree(id)).map((run) => [run.agent, run.status]);
  expect(Object.fromEntries(left)).toEqual({
    top: 'stopped',
    before: 'stopped',
    again: status,
    below: status,
  });
});

describe('an event that does not close a run', () => {
  const stop = { status: 'ABORTED', cause: 'enough' };
  const closed: Run = { ...running, status: 'succeeded', endedAt: '2026-01-01T00:00:01.000Z' };
  test.each([
    ['that it runs', running, { status: 'RUNNING' }],
    ['that it succeeded, which its last turn has written down', running, { status: 'SUCCEEDED' }],
    ['that is late: the run has its answer', closed, stop],
    ['that is late: the run was stopped before', { ...closed, status: 'stopped' as const }, stop],
    ['of an older execution than the one that carries it', { ...running, execution: `${execution}-2` }, stop],
    [
      'that is late: its execution was redriven since',
      { ...running, holder: 2 },
      { ...stop, redriveCount: 0 },
    ],
    [
      'that is late: it was resumed, and redriven twice since',
      { ...running, holder: 4 },
      { ...stop, input: JSON.stringify({ run: id, holder: 2 }), redriveCount: 1 },
    ],
    [
      'that is late and says so by its name only: what it was started with was too large',
      { ...running, holder: 4 },
      { ...stop, name: `${id}-r2-d1`, input: null },
    ],
    ['of a run that is not known', running, { ...stop, name: 'top-00000000000001' }],
  ])('is one %s', async (_, run, detail) => {
    const { settle, record, events } = await openWith(run);
    await settle(detail);
    expect(await record()).toEqual(run);
    expect(events).toEqual([]);
  });

  test('is the second of two, even where both come at once', async () => {
    const { settle, record, events } = await openWith(running);
    await Promise.all([settle(stop), settle(failedWith('ModelError', thrown('server: no'))), settle(stop)]);
    await settle({ status: 'TIMED_OUT' });
    expect(events).toHaveLength(1);
    expect(await record()).toMatchObject({ status: 'stopped', failure: { message: 'enough' } });
  });

  test('is none at all: it is refused', async () => {
    const { settle } = await openWith(running);
    await expect(settle({ status: 'EXPLODED' })).rejects.toThrow('EXPLODED');
  });
});
