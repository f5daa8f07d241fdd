import { describe, expect, onTestFinished, test } from 'vitest';
import type { Pause } from '../../../src/core/records/pause.ts';
import { createRests } from '../../../src/places/store/rests.ts';
import { openLmdbTable } from '../../../src/places/local/store/lmdb/table.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { openLateTable } from '../../fixtures/late-table.ts';

async function openRests() {
  const table = await openLmdbTable(await tempFolder());
  onTestFinished(() => table.close());
  return createRests(table);
}

/** As many runs as it takes for all partitions. */
const RUNS = Array.from({ length: 200 }, (_, index) => `top-${(index ** 3).toString(36).padStart(14, '0')}`);

test('of all that say until when a model is to be left alone the longest counts, and for that model alone', async () => {
  const { coolDown, restOf } = await openRests();
  expect(await restOf('run', 'm/x')).toEqual({ until: 0 });
  for (const [until, longest] of [
    [500, 500],
    [400, 500],
    [501, 501],
  ] as const) {
    await coolDown('run', 'm/x', until);
    expect(await restOf('run', 'm/x')).toEqual({ until: longest });
  }
  expect(await restOf('run', 'm/y')).toEqual({ until: 0 });
});

test.each(['x', 'é', '☃', '𝕏'])(
  'the name of a model may be longer than a key: any number of %s',
  async (character) => {
    const { coolDown, restOf } = await openRests();
    // Wherever it is cut, for one of them that is within a character of two code units.
    for (const model of [`m/${character.repeat(600)}`, `n-/${character.repeat(600)}`]) {
      await coolDown('run', model, 500);
      expect(await restOf('run', model)).toEqual({ until: 500 });
    }
  },
);

test('all runs hear of a model that was throttled, though many that are throttled at once share no partition', async () => {
  const table = openLateTable();
  const writes = new Map<string, number>();
  const counted = (partition: string) => writes.set(partition, (writes.get(partition) ?? 0) + 1);
  const { coolDown, restOf } = createRests({
    ...table,
    putIfAbsent: (key, ...more) => (counted(key.partition), table.putIfAbsent(key, ...more)),
    putIfVersion: (key, ...more) => (counted(key.partition), table.putIfVersion(key, ...more)),
  });
  await Promise.all(RUNS.map((run) => coolDown(run, 'm/x', 500)));
  expect(writes.size).toBe(8);
  // Of 200 writes, each partition has an eighth, and what the first in each tells the others.
  expect(Math.max(...writes.values())).toBeLessThan(50);
  writes.clear();
  await Promise.all(RUNS.map((run) => coolDown(run, 'm/x', 400)));
  expect([...writes]).toEqual([]);
  expect(await Promise.all(RUNS.map((run) => restOf(run, 'm/x')))).toEqual(RUNS.map(() => ({ until: 500 })));
});

test('functions of an earlier release hear of it too', async () => {
  const table = openLateTable();
  for (const run of RUNS.slice(0, 20)) await createRests(table).coolDown(run, 'm/x', 500);
  expect(await table.get({ partition: 'cooldowns', sort: 'm/x' })).toMatchObject({ value: 500 });
});

describe('a pause', () => {
  const pause: Pause = { at: '2026-11-23T03:00:00.000Z', by: 'ada', release: 'cadre unpause --env dev' };

  test('is seen by all runs, until it is over', async () => {
    const { setPause, pause: current, restOf, coolDown } = await openRests();
    await coolDown('run', 'm/x', 500);
    expect(await current()).toBeUndefined();
    expect(await setPause(pause)).toBeUndefined();
    expect(await current()).toEqual(pause);
    for (const run of RUNS) expect(await restOf(run, 'm/x')).toEqual({ until: 500, pause });
    expect(await setPause(undefined)).toEqual(pause);
    expect(await current()).toBeUndefined();
    for (const run of RUNS) expect(await restOf(run, 'm/x')).toEqual({ until: 500 });
  });

  test('stays as it was made first', async () => {
    const { setPause, pause: current } = await openRests();
    await setPause(pause);
    expect(await setPause({ ...pause, by: 'bob' })).toEqual(pause);
    expect(await current()).toEqual(pause);
  });
});
