import { expect, test } from 'vitest';
import { control, type ControlPorts } from '../../../src/core/lifecycle/control.ts';
import { NOTHING_RUNS } from '../../../src/core/lifecycle/ports.ts';
import { KILLED } from '../../../src/core/records/phase.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { loadOwnTools } from '../../../src/tools/load-own-tools.ts';
import { leaveMessage } from '../../../src/core/lifecycle/leave-message.ts';
import { aFork, anOpened, aRun, keepRun } from '../../fixtures/records.ts';

const AT = '2026-01-01T00:00:00.000Z';
const top = aRun();

async function open() {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  const woken: unknown[][] = [];
  const started: string[] = [];
  const ports: ControlPorts = {
    ...NOTHING_RUNS,
    executions: {
      ...NOTHING_RUNS.executions,
      start: async (name) => {
        started.push(name);
        return name;
      },
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
  const ask = async (event: unknown) => control(event, ports, new AbortController().signal);
  return { store, woken, started, ask };
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
