import { expect, onTestFinished, test } from 'vitest';
import { openLocalStore } from '../../../src/places/local/local-store.ts';
import type { Memories } from '../../../src/core/memory/memories.ts';
import type { LiveEvent } from '../../../src/core/events/live.ts';
import { remember } from '../../../src/core/turn/remember.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { anOpened, aRun, aTurn } from '../../fixtures/records.ts';

const run = aRun({ status: 'succeeded', startedAt: '2026-01-31T10:00:00.000Z' });
const opened = anOpened({ memory: { name: 'top', maxEntries: 0 } });
const turn = aTurn({ answer: { text: 'done' }, at: '2026-01-31T10:00:05.678Z' });

async function openMemories() {
  const { memories, close } = await openLocalStore(await tempFolder());
  onTestFinished(close);
  const events: LiveEvent[] = [];
  return { memories, events, live: { tell: (event: LiveEvent) => void events.push(event) } };
}

test('a repeated end of a run is remembered once, with the time of its answer', async () => {
  const ports = await openMemories();
  for (let times = 0; times < 3; times++) await remember(run, opened, turn, ports);
  expect(await ports.memories.entries('top', 0)).toEqual([
    { at: '2026-01-31T10:00:05Z', task: 'go', result: 'done' },
  ]);
  expect(ports.events).toEqual([]);
});

test('only the end of a run that succeeded is remembered, and only where the agent wants it', async () => {
  const ports = await openMemories();
  for (const status of ['running', 'budget_exceeded', 'failed', 'timed_out', 'stopped'] as const) {
    await remember({ ...run, status }, opened, turn, ports);
  }
  const { memory: _memory, ...without } = opened;
  await remember(run, without, turn, ports);
  expect(await ports.memories.entries('top', 0)).toEqual([]);
});

test('a memory that can be written and not be counted is told of as one that cannot be read', async () => {
  const { memories, events, live } = await openMemories();
  const broken: Memories = {
    ...memories,
    of: () => broken,
    entries: () => Promise.reject(new Error('out of order')),
  };
  await remember(run, { ...opened, memory: { name: 'm', maxEntries: 1 } }, turn, { memories: broken, live });
  expect(events).toEqual([
    {
      type: 'warning',
      run: run.id,
      root: run.id,
      agent: 'top',
      model: 'm/x',
      depth: 0,
      message: 'failed to load memory for "top": out of order',
    },
  ]);
  expect(await memories.entries('m', 0)).toHaveLength(1);
});
