import type { Pause } from '../../core/records/pause.ts';
import type { Rest, Rests } from '../../core/records/ports.ts';
import { replace } from './replace.ts';
import { shardOf } from './shard-of.ts';
import { fromItem, toStored } from './stored.ts';
import type { Json } from '../../json.ts';
import type { Item, Key, Table } from './table.ts';

/**
 * Until when the APIs of models are left alone, by `provider/model-name` (milliseconds since 1970), and whether
 * everything is paused. A run reads both at once, in the partition that it falls to: there are several that say the
 * same, since a partition of DynamoDB takes 1,000 writes a second and 3,000 reads.
 */
export function createRests(table: Table): Rests {
  /** @returns whether this changed it */
  async function raise(key: Key, until: number): Promise<boolean> {
    const item = await table.get(key);
    if (item === undefined) return (await table.putIfAbsent(key, until)).written;
    if (untilOf(item) >= until) return false;
    // The faster writer has just been throttled too: its word is as good.
    return (await table.putIfVersion(key, until, item.version)) !== undefined;
  }

  const pause = async () => pauseIn(await table.get({ partition: FIRST, sort: PAUSE }));

  return {
    async restOf(run, model) {
      const sort = sortOf(model);
      let rest: Rest = { until: 0 };
      // There are as many items as models.
      for await (const item of table.query(partitionOf(run), '')) {
        if (item.key.sort === sort) rest = { ...rest, until: untilOf(item) };
        const paused = item.key.sort === PAUSE ? pauseIn(item) : undefined;
        if (paused !== undefined) rest = { ...rest, pause: paused };
      }
      return rest;
    },

    // However many are throttled at once, each partition has one that tells the others.
    async coolDown(run, model, until) {
      const own = partitionOf(run);
      const sort = sortOf(model);
      if (!(await raise({ partition: own, sort }, until))) return;
      const others = PARTITIONS.filter((partition) => partition !== own);
      await Promise.all(others.map((partition) => raise({ partition, sort }, until)));
    },

    pause,
    async setPause(wanted) {
      const before = await pause();
      const kept = wanted === undefined ? NONE : toStored(before ?? wanted);
      // The first says what is so, and the others follow it: an interrupted change can be repeated.
      for (const partition of PARTITIONS) {
        await replace(
          table,
          { partition, sort: PAUSE },
          kept,
          'the pause changes too often; try again',
          FOR_EVER,
        );
      }
      return before;
    },
  };
}

/** Earlier releases knew this one alone. */
const FIRST = 'cooldowns';
const PARTITIONS = [FIRST, ...Array.from({ length: 7 }, (_, index) => `${FIRST}#${index + 1}`)];

/** No model is called so: their names have a slash. */
const PAUSE = 'pause';
const NONE: Json = {};
/** 2100 is never for an item that may be removed with time. */
const FOR_EVER = { expires: 4_102_444_800 };

function pauseIn(item: Item | undefined): Pause | undefined {
  const pause = item && fromItem<Partial<Pause>>(item);
  const { at, by, release } = pause ?? {};
  return at === undefined || by === undefined || release === undefined
    ? undefined
    : { ...pause, at, by, release };
}

function untilOf({ value }: Item): number {
  return typeof value === 'number' ? value : 0;
}

function partitionOf(run: string): string {
  return PARTITIONS[shardOf(run, PARTITIONS.length)] ?? FIRST;
}

function sortOf(model: string): string {
  return model.slice(0, MAX_KEY_CHARACTERS).toWellFormed();
}

/** A sort key ends at 512 bytes, and a model's name may be the ARN of a profile. */
const MAX_KEY_CHARACTERS = 120;
