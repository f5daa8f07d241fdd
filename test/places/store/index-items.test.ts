import { expect, test } from 'vitest';
import { newRunId } from '../../../src/core/records/run-id.ts';
import { noteSweep, readLastSweep } from '../../../src/places/store/last-sweep.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createListings } from '../../../src/places/store/listings.ts';
import { createMemoryBlobs } from '../../../src/places/store/memory-table.ts';
import { recordedAt } from '../../../src/places/store/recorded-keys.ts';
import { readShare, setShare, type SetShare } from '../../../src/places/store/rollout-share.ts';
import { openLateTable } from '../../fixtures/late-table.ts';

test('the share of a rollout is the one that was set last, and says nothing of other rollouts', async () => {
  const table = openLateTable();
  expect(await readShare(table, 'a')).toBeUndefined();
  const share: SetShare = { rollout: 'a', next: 0.1, by: 'ada', at: '2026-01-01T00:00:00.000Z' };
  await setShare(table, share);
  await setShare(table, { ...share, next: 0.5 });
  expect([await readShare(table, 'a'), await readShare(table, 'b')]).toEqual([
    { ...share, next: 0.5 },
    undefined,
  ]);
});

test('the last sweep is the one that was noted last', async () => {
  const table = openLateTable();
  expect(await readLastSweep(table)).toBeUndefined();
  await noteSweep(table, { at: '2026-01-01T00:00:00.000Z', last: 'top-00000000000000' });
  await noteSweep(table, { at: '2026-01-01T00:01:00.000Z' });
  expect(await readLastSweep(table)).toEqual({ at: '2026-01-01T00:01:00.000Z' });
});

test('what a server offers is kept until another offer, or another time', async () => {
  // Which document is in force is not said before it is there.
  const listings = createListings(openLateTable(), createDocuments(openLateTable(), createMemoryBlobs()));
  const definition = { name: 'search', description: 'Searches.', parameters: { type: 'object' } as const };
  const offer = { tools: [{ name: 'search', definition }], notes: ['a note'], until: 1 };
  expect(await listings.listing('docs')).toBeUndefined();
  await listings.saveListing('docs', offer);
  expect(await listings.listing('docs')).toEqual(offer);
  await listings.saveListing('docs', { ...offer, until: 2 });
  expect(await listings.listing('docs')).toEqual({ ...offer, until: 2 });
  await listings.saveListing('docs', { tools: [], notes: [], until: 3 });
  expect([await listings.listing('docs'), await listings.listing('other')]).toEqual([
    { tools: [], notes: [], until: 3 },
    undefined,
  ]);
});

test('keys of turns and of runs in trees are told from others', () => {
  const run = newRunId('top', 0);
  expect([
    recordedAt(`run#${run}`, 'turn#12'),
    recordedAt(`run#${run}`, 'turn#a012'),
    recordedAt(`tree#${run}`, `run#${run}`),
    recordedAt(`run#${run}`, 'turn#'),
    recordedAt(`run#${run}`, 'turn#1#x'),
    recordedAt('run#no run', 'turn#1'),
    recordedAt(`tree#${run}`, 'run#no run'),
    recordedAt(`run#${run}`, `run#${run}`),
  ]).toEqual([{ run, turn: 12 }, { run, turn: 12 }, { run, isOver: true }, ...Array<undefined>(5)]);
});
