import type { Pause } from '../../core/records/pause.ts';
import type { Rest, Rests } from '../../core/records/ports.ts';
import { shardOf } from '../../shard-of.ts';
import { fromItem } from './stored.ts';
import type { Item, Table } from './table.ts';

/**
 * Until when the APIs of models are left alone, by `provider/model-name` (milliseconds since 1970), and whether
 * everything is paused. A run reads both at once, in the partition that it falls to: there are several that say the
 * same, since a partition of DynamoDB takes 1,000 writes a second and 3,000 reads.
 */
export function createRests(table: Table): Rests {
  // Few functions write any of it.
  const writes = () => import('./rest-writes.ts');
  return {
    async restOf(run, model) {
      const sort = sortOf(model);
      let rest: Rest = { until: 0 };
      // There are as many items as models.
      for await (const item of table.query(partitionOf(run), '')) {
        if (item.key.sort === sort) rest = { ...rest, until: untilOf(item) };
        const pause = item.key.sort === PAUSE ? pauseIn(item) : undefined;
        if (pause !== undefined) rest = { ...rest, pause };
      }
      return rest;
    },
    coolDown: async (...given) => (await writes()).coolDown(table, ...given),
    pause: async () => (await writes()).readPause(table),
    setPause: async (pause) => (await writes()).setPause(table, pause),
  };
}

/** Earlier releases knew this one alone. */
export const FIRST_PARTITION = 'cooldowns';
export const PARTITIONS = [FIRST_PARTITION, ...[1, 2, 3, 4, 5, 6, 7].map((n) => `${FIRST_PARTITION}#${n}`)];

/** The sort key beside those of models, whose names have a slash. */
export const PAUSE = 'pause';

export function pauseIn(item: Item | undefined): Pause | undefined {
  return item && fromItem<{ pause?: Pause }>(item).pause;
}

export function untilOf(item: Item | undefined): number {
  return typeof item?.value === 'number' ? item.value : 0;
}

export function partitionOf(run: string): string {
  return PARTITIONS[shardOf(run, PARTITIONS.length)] ?? FIRST_PARTITION;
}

export function sortOf(model: string): string {
  return model.slice(0, MAX_KEY_CHARACTERS).toWellFormed();
}

/** A sort key ends at 512 bytes, and a model's name may be the ARN of a profile. */
const MAX_KEY_CHARACTERS = 120;
