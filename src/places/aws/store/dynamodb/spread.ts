import { shardOf } from '../../../../shard-of.ts';
import type { Key } from '../../../store/table.ts';

/** A partition takes 1,000 writes a second (DynamoDB, "Designing partition keys to distribute your workload"). */
export const SHARDS = 8;

/** Where an item of a partition lies that is spread over several. */
export function spreadKey({ partition, sort }: Key): Key {
  return { partition: `${partition}#${shardOf(sort, SHARDS)}`, sort };
}
