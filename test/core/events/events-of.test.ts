import { expect, test } from 'vitest';
import { eventsOf } from '../../../src/core/events/events-of.ts';
import { noticed } from '../../../src/places/follow/notices.ts';
import type { Run } from '../../../src/core/records/run.ts';
import { openLocalStore } from '../../../src/places/local/local-store.ts';
import { aRun, aTurn } from '../../fixtures/records.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const run = aRun();

const fork = { derivedBy: 'fork', beside: true as const };

test.each<[string, Partial<Run> | undefined, Partial<Run>, string[]]>([
  ['a new run', undefined, {}, ['run_opened']],
  ['a copy that a person makes', undefined, { ...fork, status: 'idle' }, ['run_opened', 'run_closed']],
  ['a note in the record', {}, { hasMail: true }, []],
  ['an answer', {}, { status: 'succeeded' }, ['run_closed']],
  ['a top that waits for its forks', {}, { status: 'idle' }, []],
  ['a top whose forks are done', { status: 'idle' }, { status: 'succeeded' }, ['run_closed']],
  ['a fork that rests', fork, { ...fork, status: 'idle' }, ['run_closed']],
  [
    'a fork that is killed while it rests',
    { ...fork, status: 'idle' },
    { ...fork, status: 'stopped' },
    ['run_closed'],
  ],
  ['another execution', {}, { holder: 2 }, ['run_opened']],
  ['recovering, ahead of the execution', { status: 'stopped' }, {}, []],
  ['a message after the answer', { status: 'succeeded' }, {}, ['run_opened']],
])('%s', (_, before, after, expected) => {
  const whole = { ...run, ...after };
  const write = { type: 'run' as const, before: before && { ...run, ...before }, after: whole };
  expect(eventsOf(write, whole, undefined).map(({ type }) => type)).toEqual(expected);
});

test('a turn is told of with its tokens even if another was faster, since both were paid for', async () => {
  const { runs, close } = await openLocalStore(await tempFolder());
  const told: string[] = [];
  const { store, live } = noticed(runs, (event) =>
    told.push(event.type === 'turn_finished' ? `${event.usage.inputTokens} tokens` : event.type),
  );
  const turnOf = (inputTokens: number) =>
    aTurn({ answer: { usage: { inputTokens, outputTokens: 1 } }, latencyMs: inputTokens });
  await store.insertRun(run);
  await store.insertRun({ ...run, execution: 'of another' });
  live.tell({ type: 'begun', run: run.id, turn: 1, at: 0, messages: 1, pendingCalls: 0 });
  await store.saveTurn(run.id, turnOf(7));
  await store.saveTurn(run.id, turnOf(8));
  await store.updateRun(run.id, (record) => record);
  await store.updateRun(run.id, (record) => ({ ...record, status: 'succeeded' }));
  await close();
  expect(told).toEqual(['run_opened', 'turn_started', '7 tokens', '8 tokens', 'run_closed']);
});
