import { expect, test } from 'vitest';
import { isJsonObject, type Json } from '../../../src/json.ts';
import { RECOVERY, type Deed, type Fact } from '../../../src/core/lifecycle/recovery.ts';
import { putMail } from '../../../src/core/lifecycle/put-mail.ts';
import { resumeRun } from '../../../src/core/lifecycle/resume.ts';
import type { Phase } from '../../../src/core/records/phase.ts';
import type { Run } from '../../../src/core/records/run.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { aRun, aTurn, keepRun } from '../../fixtures/records.ts';

const NOW = Date.parse('2026-01-01T00:00:05.000Z');
const FAILURE = { error: 'Stopped', message: 'by a person' };

/** The record of a run that is in a phase; those that wait are, in their records, at work. */
const RECORDS: Partial<Record<Phase, Partial<Run>>> = {
  opening: { status: 'running' },
  working: { status: 'running' },
  closing: { status: 'running', exceeded: 'tokens' },
  resting: { status: 'idle', derivedBy: 'call_agent' },
  idle: { status: 'idle' },
  answered: { status: 'succeeded' },
  limited: { status: 'budget_exceeded', exceeded: 'tokens' },
  failed: { status: 'failed', failure: FAILURE },
  stopped: { status: 'stopped', failure: FAILURE },
  killed: { status: 'stopped', failure: { error: 'Killed', message: 'by a person' } },
};

/** The visible effect of each deed. */
const SEEN: Record<Deed, string[]> = {
  end: ['ended'],
  reopen: ['reopened', 'started'],
  stop: ['its execution stopped', 'started'],
  start: ['started'],
  wake: ['started for a person'],
  nothing: [],
};

const isForPerson = (input: Json) => isJsonObject(input) && input['isForPerson'] === true;

/** Resumes a tree in which an agent is in a phase, and a fact is true of it. @returns what was done with the agent */
async function resumed(phase: Phase, fact: Fact | undefined): Promise<string[]> {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  const top = aRun({ execution: 'top' });
  await keepRun(store, top);
  const gone = { run: `${top.id}-t1c1`, path: 't1c1' };
  const call = { run: top.id, turn: 1, call: 1 };
  const failed: Run = {
    ...top,
    id: gone.run,
    path: 't1c1',
    parent: call,
    status: 'failed',
    failure: FAILURE,
  };
  if (fact === 'doomed') await keepRun(store, failed);
  const above = fact === 'doomed' ? { run: failed.id, path: 't1c1_' } : { run: top.id, path: '' };
  const path = `${above.path}t1c2`;
  const id = `${top.id}-${path}`;
  const run: Run = {
    ...top,
    id,
    path,
    parent: { run: above.run, turn: 1, call: 2 },
    derivedBy: 'fork',
    execution: 'own',
    endedAt: '2026-01-01T00:00:01.000Z',
    ...RECORDS[phase],
    ...(fact === 'called' && { derivedBy: 'call_agent' }),
  };
  if (phase === 'starting') await store.claimName({ id, path }, 'starting');
  else await keepRun(store, run);
  // A caller that has gone on does not call again.
  if (run.derivedBy !== 'fork' && fact !== 'called') await store.saveTurn(top.id, TURN);
  if (fact === 'due')
    await putMail(run, { body: 'go on', sentAt: new Date(NOW).toISOString() }, undefined, store);
  const live = new Set(fact === 'leftover' ? ['own'] : []);
  const done: string[] = [];
  let statusAtStart: string | undefined;
  const executions = {
    async start(name: string, input: Json) {
      if (name === `${top.id}-r2`) statusAtStart = (await store.run(id))?.status;
      else done.push(isForPerson(input) ? 'started for a person' : 'started');
      return name;
    },
    isRunning: async (execution: string) => live.has(execution),
    async stop(execution: string) {
      if (live.delete(execution)) done.push('its execution stopped');
    },
  };
  await resumeRun(top, {}, { store, executions, now: () => NOW });
  if (run.status === 'stopped' && statusAtStart === 'running') done.unshift('reopened');
  if (run.status !== 'stopped' && (await store.run(id))?.status === 'stopped') done.push('ended');
  return done;
}

const TURN = aTurn({ number: 2, answer: { text: 'done' }, at: new Date(NOW).toISOString() });

const PHASES: Phase[] = [
  'starting',
  'opening',
  'working',
  'closing',
  'resting',
  'idle',
  'answered',
  'limited',
  'failed',
  'stopped',
  'killed',
];
const ROWS = PHASES.flatMap((phase) => {
  const row = RECOVERY[phase];
  const facts: Fact[] = ['doomed', 'owed', 'leftover', 'called', 'orphaned', 'due'];
  return facts.flatMap((fact) => (row[fact] === undefined ? [] : [{ phase, fact, deed: row[fact] }]));
});

test.each(ROWS)('$phase and $fact: $deed', async ({ phase, fact, deed }) => {
  // In a tree whose top goes on, every stopped run is owed before it is due.
  const isOwed = phase === 'stopped' && fact === 'due';
  expect(await resumed(phase, fact)).toEqual(isOwed ? SEEN.reopen : SEEN[deed]);
});

test('nothing is done with an agent of which nothing is true', async () => {
  for (const phase of ['idle', 'answered', 'limited', 'failed', 'killed'] as const) {
    expect({ phase, done: await resumed(phase, undefined) }).toEqual({ phase, done: [] });
  }
});
