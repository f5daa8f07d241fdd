import { expect, test } from 'vitest';
import { report } from '../../../src/core/lifecycle/report.ts';
import { NOTHING_RUNS } from '../../../src/core/lifecycle/ports.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { aFork, anOpened, aRun, aTurn, keepRun } from '../../fixtures/records.ts';

test.each([
  ['another one', 'top-00000000000001', 1],
  ['itself', aRun().id, 0],
])('an agent whose writer was %s tells that one of its end: %s', async (_, wokenBy, told) => {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  const run = aRun({ wokenBy });
  for (const one of new Set([run.id, wokenBy])) {
    await store.insertRun(aRun({ id: one, root: one }));
    await store.saveOpened(one, anOpened());
  }
  await report(run, [aTurn()], { status: 'succeeded' }, { ...NOTHING_RUNS, store, now: Date.now });
  expect(await store.mails(wokenBy)).toHaveLength(told);
});

test('a report that is repeated once it has been read wakes nobody', async () => {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  const top = aRun({ status: 'succeeded' });
  const kid = aFork(top, { status: 'idle' });
  for (const run of [top, kid]) {
    await keepRun(store, run);
    await store.saveOpened(run.id, anOpened());
  }
  const started: string[] = [];
  const start = async (name: string) => {
    started.push(name);
    return name;
  };
  const fork = aFork(kid, { path: `${kid.path}_t1c1`, status: 'running' });
  const executions = { ...NOTHING_RUNS.executions, start };
  const ports = { ...NOTHING_RUNS, executions, store, now: () => Date.parse(top.startedAt) };
  const tell = () => report(fork, [aTurn()], { status: 'idle' }, ports);
  await tell();
  expect(started).toEqual([`${kid.id}-r2`]);
  const [mail] = await store.mails(kid.id);
  await store.markRead(kid.id, mail?.id ?? '');
  await tell();
  expect(started).toHaveLength(1);
});

test('an agent that has gone on since messages were passed over tells of its newest answer', async () => {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  const top = aRun();
  await keepRun(store, top);
  const passedOver = { turn: 1, at: top.startedAt, reason: 'busy' };
  const turns = ['old', 'new'].map((text, index) => aTurn({ number: index + 1, answer: { text } }));
  const ports = { ...NOTHING_RUNS, store, now: Date.now };
  await report(aFork(top, { status: 'running', passedOver }), turns, { status: 'idle' }, ports);
  const [mail] = await store.mails(top.id);
  expect(JSON.parse(mail?.body ?? '')).toEqual({ status: 'idle', success: true, summary: 'new' });
});
