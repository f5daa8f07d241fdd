import type { Pause } from '../../core/records/pause.ts';
import { replace } from './replace.ts';
import { FIRST_PARTITION, partitionOf, PARTITIONS, PAUSE, pauseIn, sortOf, untilOf } from './rests.ts';
import { toStored } from './stored.ts';
import type { Key, Table } from './table.ts';

/** However many runs are throttled at once, one in each partition tells the others. */
export async function coolDown(table: Table, run: string, model: string, until: number): Promise<void> {
  const own = partitionOf(run);
  const sort = sortOf(model);
  if (!(await raise(table, { partition: own, sort }, until))) return;
  const others = PARTITIONS.filter((partition) => partition !== own);
  await Promise.all(others.map((partition) => raise(table, { partition, sort }, until)));
}

/** @returns whether this changed it */
async function raise(table: Table, key: Key, until: number): Promise<boolean> {
  const item = await table.get(key);
  if (item === undefined) return (await table.putIfAbsent(key, until)).written;
  if (untilOf(item) >= until) return false;
  // The faster writer has just been throttled too: its word is as good.
  return (await table.putIfVersion(key, until, item.version)) !== undefined;
}

export async function readPause(table: Table): Promise<Pause | undefined> {
  return pauseIn(await table.get({ partition: FIRST_PARTITION, sort: PAUSE }));
}

/**
 * The first partition is authoritative: it is paused first and continues last, so that an interrupted change looks like
 * a pause and can be repeated.
 */
export async function setPause(table: Table, wanted: Pause | undefined): Promise<Pause | undefined> {
  const before = await readPause(table);
  const kept = toStored(wanted === undefined ? {} : { pause: before ?? wanted });
  for (const partition of wanted === undefined ? PARTITIONS.toReversed() : PARTITIONS) {
    await replace(
      table,
      { partition, sort: PAUSE },
      kept,
      'the pause changes too often; try again',
      FOR_EVER,
    );
  }
  return before;
}

/** 2100 is never for an item that may be removed with time. */
const FOR_EVER = { expires: 4_102_444_800 };
