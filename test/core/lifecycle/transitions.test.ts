import { expect, test } from 'vitest';
import { forkForPerson } from '../../../src/core/lifecycle/fork-for-person.ts';
import { killForPerson } from '../../../src/core/lifecycle/kill-agent.ts';
import { NOTHING_RUNS } from '../../../src/core/lifecycle/ports.ts';
import { putMail } from '../../../src/core/lifecycle/put-mail.ts';
import { rest } from '../../../src/core/lifecycle/rest.ts';
import { resumeRun } from '../../../src/core/lifecycle/resume.ts';
import { settleRun } from '../../../src/core/lifecycle/settle.ts';
import { phaseOf, TRANSITIONS, transitionsOf } from '../../../src/core/records/phase.ts';
import type { Run } from '../../../src/core/records/run.ts';
import { writeAhead } from '../../../src/core/steps/ahead.ts';
import { closeRun, type RunEnd } from '../../../src/core/turn/close.ts';
import { holdRun } from '../../../src/core/turn/hold.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { fromItem } from '../../../src/places/store/stored.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import type { Table } from '../../../src/places/store/table.ts';
import { use } from '../../fixtures/stage.ts';
import { anOpened, aRun, keepRun, aTurn } from '../../fixtures/records.ts';
import { openPlay } from './play.ts';
import { playTrees } from './play-trees.ts';

/** A table that notes the changes of status that are written to it, as `idle to running (same)`. */
function noting(table: Table, seen: Set<string>): Table {
  const stored = (run: Run) => (phaseOf(run) === 'killed' ? 'killed' : run.status);
  return {
    ...table,
    async putIfAbsent(key, value) {
      const put = await table.putIfAbsent(key, value);
      if (key.sort.startsWith('run#') && put.written) {
        const first = fromItem<Run>(put.item);
        seen.add(`none to ${stored(first)} (${first.holder > 0 ? 'higher' : 'same'})`);
      }
      return put;
    },
    async putIfVersion(key, value, version) {
      const item = key.sort.startsWith('run#') ? await table.get(key) : undefined;
      const written = await table.putIfVersion(key, value, version);
      if (item === undefined || written === undefined) return written;
      const [before, after] = [fromItem<Run>(item), fromItem<Run>(written)];
      const isHigher = after.holder > before.holder;
      if (transitionsOf(before, after) !== undefined) {
        seen.add(`${stored(before)} to ${stored(after)} (${isHigher ? 'higher' : 'same'})`);
      }
      return written;
    },
  };
}

const listed = new Set(
  TRANSITIONS.flatMap(({ from, to, holder }) =>
    from.flatMap((one) => to.map((other) => `${one} to ${other} (${holder})`)),
  ),
);

test('every change of status that agents and people come to is in the table', async () => {
  const seen = new Set<string>();
  await playTrees(() => noting(createMemoryTable(), seen), 25);
  expect([...seen].filter((change) => !listed.has(change))).toEqual([]);
});

const now = () => Date.parse('2026-01-01T00:00:05.000Z');
const failure = { error: 'Stopped', message: 'by a person' };
const top = aRun();
const fork = {
  id: `${top.id}-t1c1`,
  path: 't1c1',
  parent: { run: top.id, turn: 1, call: 1 },
  derivedBy: 'fork',
};

/** A tree of a top that was begun, and of the run that the scene is about. */
async function open(seen: Set<string>, change: Partial<Run>) {
  const table = createMemoryTable();
  const run: Run = { ...top, ...change };
  for (const kept of [top, run]) await keepRun(storeIn(table), kept);
  return { run, ports: { ...NOTHING_RUNS, store: storeIn(noting(table, seen)), now } };
}

function storeIn(table: Table) {
  return createRunStore(table, createDocuments(table, NO_BLOBS));
}

const ENDS: [Run['status'][], RunEnd][] = [
  [['running'], { status: 'idle' }],
  [['running', 'idle'], { status: 'succeeded' }],
  [['running', 'idle'], { status: 'budget_exceeded', exceeded: 'tokens' }],
];

test('every change of the table is made', async () => {
  const seen = new Set<string>();
  for (const [statuses, end] of ENDS) {
    for (const status of statuses) {
      const { run, ports } = await open(seen, { id: 'kid-00000000000000', path: 't1c1', status });
      await closeRun(run, [], end, ports);
    }
  }
  for (const status of ['running', 'idle'] as const) {
    for (const ended of ['FAILED', 'TIMED_OUT', 'ABORTED']) {
      const { run, ports } = await open(seen, { ...fork, derivedBy: 'call_agent', status });
      const input = JSON.stringify({ run: run.id, holder: 1 });
      await settleRun({ detail: { executionArn: 'arn', name: run.id, status: ended, input } }, ports);
    }
    const { run, ports } = await open(seen, { ...fork, status });
    await killForPerson(run, ports);
  }
  for (const status of ['running', 'idle', 'succeeded', 'budget_exceeded'] as const) {
    const { run, ports } = await open(seen, { ...fork, status });
    await holdRun(run, { holder: 2, execution: 'arn-r2', isWoken: true }, undefined, ports);
  }
  for (const status of ['failed', 'timed_out', 'stopped'] as const) {
    const { run, ports } = await open(seen, { ...fork, status, failure });
    await holdRun(run, { holder: 2, execution: 'arn-r2' }, undefined, ports);
  }
  // Stopped with their tree: one was at work, the other a person's copy that was told nothing.
  for (const execution of ['arn', '']) {
    const { ports } = await open(seen, { ...fork, status: 'stopped', failure, execution });
    await resumeRun(top, {}, ports);
  }
  await startOneBeside(seen);
  await wakeOneThatRests(seen);
  await writeToOneThatEnds(seen);
  expect([...seen].toSorted()).toEqual([...listed].toSorted());
});

/** An agent is about to be started beside its caller. */
async function startOneBeside(seen: Set<string>): Promise<void> {
  const { ports } = await open(seen, {});
  const plan = { kind: 'start' as const, agent: 'kid', name: 'kid', task: 'look', context: '' };
  const limits = anOpened().delegation;
  await writeAhead(plan, { run: top, turn: 1, call: 1, limits, store: ports.store }, now());
}

/** A person writes to an agent that waits for its fork, and makes a copy of it. */
async function wakeOneThatRests(seen: Set<string>): Promise<void> {
  const { account, root, settle, asked } = await openPlay(noting(createMemoryTable(), seen), 1);
  asked(root)?.say({ calls: [use('fork', { prompt: 'p', name: 'a' })] });
  await settle();
  asked(root)?.say({ text: 'done' });
  await settle();
  await account.send(root, 'go on');
  await settle();
  const rested = await account.store().run(root);
  if (rested === undefined) throw new Error('the tree has no top');
  await forkForPerson(rested, { store: account.store(), now });
}

/** A message comes to an agent in the moment in which it ends. */
async function writeToOneThatEnds(seen: Set<string>): Promise<void> {
  const { run, ports } = await open(seen, { id: 'kid-00000000000000', path: 't1c1', hasMail: true });
  const { store } = ports;
  await store.saveTurn(run.id, aTurn());
  const updateRun: typeof store.updateRun = async (id, change, known) => {
    const after = await store.updateRun(id, change, known);
    const mail = { body: 'wait', sentAt: new Date(now()).toISOString() };
    if (after?.status === 'succeeded') await putMail(after, mail, 'once', store);
    return after;
  };
  const claim = { run: run.id, holder: 1, execution: 'arn', token: 't', deadline: now() + 60_000 };
  const executions = { ...ports.executions, isRunning: async () => true };
  await rest(claim, { ...ports, executions, store: { ...store, updateRun } });
}
