import { NO_SHARD, SHARDS, type DayShard, type DayShardKey } from '../../core/records/day-shard.ts';
import type { DayShards } from '../../core/records/ports.ts';
import { endOfDay } from '../../core/records/spending.ts';
import { changeItem } from './change-item.ts';
import { backOff, type BackOff } from './contention.ts';
import { fromItem } from './stored.ts';
import type { Item, Key, Table } from './table.ts';

/** Shards of limits per day: one item each. The shards of one number share a partition, and so one is listed whole. */
export function createDayShards(table: Table, stayAway: BackOff = backOff): DayShards {
  const shardIn = (item: Item | undefined) => (item === undefined ? NO_SHARD : fromItem<DayShard>(item));
  return {
    shard: async (at) => shardIn(await table.get(keyOf(at))),

    async change(at, change) {
      const tooOften = 'a limit per day changes too often to be counted; try again';
      const changeKept = (kept: DayShard | undefined) => {
        const after = change(kept ?? NO_SHARD);
        return after === NO_SHARD ? kept : after;
      };
      const options = { ...expiryOf(at.day), stayAway, tooOften };
      return (await changeItem(table, keyOf(at), changeKept, options)) ?? NO_SHARD;
    },

    async *all(day) {
      for (let shard = 0; shard < SHARDS; shard++) {
        for await (const item of table.query(partitionOf({ day, shard }), '')) {
          yield { day, scope: item.key.sort, shard, value: shardIn(item) };
        }
      }
    },

    async noteNear(day, scope) {
      const key = { partition: `limit#${day}`, sort: `near#${scope}` };
      return (await table.putIfAbsent(key, { near: true }, expiryOf(day))).written;
    },
  };
}

function partitionOf({ day, shard }: Pick<DayShardKey, 'day' | 'shard'>): string {
  return `limit#${day}#${shard}`;
}

function keyOf({ day, shard, scope }: DayShardKey): Key {
  return { partition: partitionOf({ day, shard }), sort: scope };
}

/** Clocks differ, and what was given before midnight may be noted after it. Later, nobody asks for it. */
const KEPT_SECONDS = 2 * 86_400;

function expiryOf(day: string): { expires: number } {
  return { expires: endOfDay(day) / 1000 + KEPT_SECONDS };
}
