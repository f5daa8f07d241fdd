import { expect, test } from 'vitest';
import { control, type ControlPorts } from '../../../src/core/lifecycle/control.ts';
import { NOTHING_RUNS } from '../../../src/core/lifecycle/ports.ts';
import { KILLED } from '../../../src/core/records/phase.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { loadOwnTools } from '../../../src/tools/load-own-tools.ts';
import { leaveMessage } from '../../../src/core/lifecycle/leave-message.ts';
import { mortal } from '../../fixtures/mortal.ts';
import { aFork, anOpened, aRun, aSubAgent, keepRun } from '../../fixtures/records.ts';

const AT = '2026-01-01T00:00:00.000Z';
const top = aRun();

async function open() {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  const woken: unknown[][] = [];
  const started: string[] = [];
  const stopped = new Set<string>();
  const ports: ControlPorts = {
    ...NOTHING_RUNS,
    executions: {
      ...NOTHING_RUNS.executions,
      start: async (name) => {
        started.push(name);
        return name;
      },
      stop: async (execution) => void stopped.add(execution),
    },
    store,
    tools: loadOwnTools,
    wake: async (...given) => void woken.push(given),
    now: () => Date.parse(AT),
    invocation: () => 'one',
    mayBeAtWork: () => false,
    sleep: async () => {},
    openBucket: async () => {},
  };
  const ask = async (event: unknown, by = store) =>
    control(event, { ...ports, store: by }, new AbortController().signal);
  return { store, woken, started, stopped, ask };
}

test('an answer wakes who waits for it, by its token', async () => {
  const { store, woken, ask } = await open();
  const at = { run: top.id, turn: 1, call: 1 };
  await store.saveAnswerWait(at, { token: 'token', until: 0 });
  const question = { ...at, root: top.id, agent: 'top', question: 'Allow it?', askedAt: AT };
  await store.saveAnswer(question, { text: 'approve', decision: 'approve', at: AT });
  expect([await ask({ answered: at }), woken]).toEqual([{}, [['token', { approved: true }]]]);
});

test.each([
  ['open', 'running' as const, true],
  ['idle', 'idle' as const, true],
  ['over', 'failed' as const, false],
])('a run that is to be killed is, if it is %s', async (_, status, isKilled) => {
  const { store, ask } = await open();
  const failure = { error: 'AgentError', message: 'no' };
  const fork = aFork(top, { status, ...(status === 'failed' && { failure, endedAt: AT }) });
  for (const run of [top, fork]) await keepRun(store, run);
  expect([
    await ask({ kill: { run: fork.id } }),
    await ask({ kill: { run: 'none-00000000000000' } }),
  ]).toEqual([{}, {}]);
  expect((await store.run(fork.id))?.failure?.error === KILLED).toBe(isKilled);
});

test.each(['before', 'after'] as const)(
  'a run that is to be killed is, with all below it, if the function dies %s any operation and is called again',
  async (when) => {
    for (let at = 0, isDead = true; isDead; at++) {
      const { store, stopped, ask } = await open();
      // Messages have started their executions, with which no others are stopped.
      const fork = aFork(top, { holder: 2, execution: 'of the fork' });
      const kid = aSubAgent(fork, { path: `${fork.path}_t1c1`, holder: 2, execution: 'of the kid' });
      for (const run of [top, fork, kid]) await keepRun(store, run);
      const life = { operations: 0, dies: { at, when } };
      const kill = { kill: { run: fork.id } };
      isDead = await ask(kill, mortal(store, life)).then(
        () => false,
        () => true,
      );
      await ask(kill);
      const failures = (await store.tree(top.id)).map(({ failure }) => failure?.error);
      expect([at, failures, [...stopped].sort()]).toEqual([
        at,
        [undefined, KILLED, KILLED],
        ['of the fork', 'of the kid'],
      ]);
    }
  },
);

test('a run that a person has written to goes on', async () => {
  const { store, started, ask } = await open();
  const fork = aFork(top, { status: 'idle', execution: 'its first' });
  for (const run of [top, fork]) await keepRun(store, run);
  await store.saveOpened(top.id, anOpened());
  await leaveMessage({ run: fork.id, text: 'go on' }, { store, now: () => Date.parse(AT) });
  expect([await ask({ written: { run: fork.id } }), started]).toEqual([{}, [`${fork.id}-r2`]]);
});

test('whoever looks is told since when everything is paused', async () => {
  const { store, ask } = await open();
  expect(await ask({ look: 'pause' })).toEqual({});
  await store.setPause({ at: AT, by: 'ada', release: '0.1.0' });
  expect(await ask({ look: 'pause' })).toEqual({ paused: AT });
  await expect(ask({ look: 'what' })).rejects.toThrow('Invalid type');
});
