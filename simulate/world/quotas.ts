import { StoreUnavailableError } from '../../src/errors.ts';
import type { Key, Table } from '../../src/places/store/table.ts';
import type { Executions } from '../../src/core/machine/executions.ts';
import type { Wake } from '../../src/core/machine/wake.ts';
import { readUnits, sizeOf, writeUnits } from './units.ts';

/** A bucket of tokens, by which services limit requests: this many at once, and this many more each second. */
interface Quota {
  burst: number;
  perSecond: number;
}

/** The requests that an account may make, by all of its functions and people together. */
export interface Quotas {
  /** Step Functions, by the names of its requests; those of SendTaskSuccess are `wake`. */
  start: Quota;
  stop: Quota;
  describe: Quota;
  wake: Quota;
  /** Of one partition of the table, in DynamoDB's units. */
  reads: Quota;
  writes: Quota;
  /** Functions at work at once (Lambda). */
  functions: number;
}

/**
 * The documented quotas of most Regions (Step Functions, "Quotas"; DynamoDB, "Burst and adaptive capacity"; Lambda,
 * "Quotas"), without a partition's burst, which is best effort.
 */
export const DOCUMENTED: Quotas = {
  start: { burst: 800, perSecond: 150 },
  stop: { burst: 250, perSecond: 10 },
  describe: { burst: 250, perSecond: 10 },
  wake: { burst: 3_000, perSecond: 500 },
  reads: { burst: 3_000, perSecond: 3_000 },
  writes: { burst: 1_000, perSecond: 1_000 },
  functions: 1_000,
};

/** The time that requests take, and in which buckets fill. */
export interface Time {
  /** Milliseconds. */
  now(): number;
  pause(milliseconds: number): Promise<void>;
}

/** The pauses between the attempts that the SDK makes, in milliseconds. */
const PAUSES = [500, 1_000];

/** Milliseconds that a request to Step Functions takes. */
const LATENCY_MS = 50;

/** @returns takes tokens from a bucket, and says whether it had enough */
function bucketOf({ burst, perSecond }: Quota, { now }: Time): (tokens: number) => boolean {
  let left = burst;
  let at = now();
  return (tokens) => {
    left = Math.min(burst, left + ((now() - at) * perSecond) / 1000);
    at = now();
    // A request for more than a bucket holds empties it.
    if (left < Math.min(tokens, burst)) return false;
    left -= tokens;
    return true;
  };
}

/** Takes tokens as the SDK does: a few times, with pauses. */
async function taken(take: () => boolean, time: Time): Promise<void> {
  for (const pause of [...PAUSES, undefined]) {
    if (take()) return;
    if (pause !== undefined) await time.pause(pause);
  }
  throw new StoreUnavailableError('too many requests');
}

/** The ports to executions, as one function reaches them. */
interface ControlPlane {
  executions: Pick<Executions, 'isRunning' | 'start' | 'stop'>;
  wake: Wake;
}

/** @returns limits the control plane to the quotas of one account, however many functions share it */
export function controlPlaneOf(
  { start, stop, describe, wake }: Quotas,
  time: Time,
): (plane: ControlPlane) => ControlPlane {
  const buckets = {
    start: bucketOf(start, time),
    stop: bucketOf(stop, time),
    describe: bucketOf(describe, time),
    wake: bucketOf(wake, time),
  };
  const asks = async (request: keyof typeof buckets) => {
    await time.pause(LATENCY_MS);
    await taken(() => buckets[request](1), time);
  };
  return (plane) => ({
    executions: {
      async start(...given) {
        await asks('start');
        return plane.executions.start(...given);
      },
      async isRunning(...given) {
        await asks('describe');
        return plane.executions.isRunning(...given);
      },
      async stop(...given) {
        await asks('stop');
        return plane.executions.stop(...given);
      },
    },
    async wake(...given) {
      await asks('wake');
      return plane.wake(...given);
    },
  });
}

/** A table whose partitions take no more than their quotas. */
export function limitedTable(table: Table, quotas: Pick<Quotas, 'reads' | 'writes'>, time: Time): Table {
  const buckets = new Map<string, { reads(units: number): boolean; writes(units: number): boolean }>();
  const of = (partition: string) => {
    const bucket = buckets.get(partition) ?? {
      reads: bucketOf(quotas.reads, time),
      writes: bucketOf(quotas.writes, time),
    };
    buckets.set(partition, bucket);
    return bucket;
  };
  const read = (partition: string, bytes: number) => taken(() => of(partition).reads(readUnits(bytes)), time);
  const write = (key: Key, value: unknown) =>
    taken(() => of(key.partition).writes(writeUnits(sizeOf({ key, value }))), time);
  return {
    ...table,
    async get(key) {
      const item = await table.get(key);
      await read(key.partition, item === undefined ? 0 : sizeOf(item));
      return item;
    },
    async *query(...asked) {
      const items = [];
      for await (const item of table.query(...asked)) items.push(item);
      const [partition] = asked;
      await read(
        partition,
        items.reduce((sum, item) => sum + sizeOf(item), 0),
      );
      yield* items;
    },
    async putIfAbsent(key, value, options) {
      await write(key, value);
      return table.putIfAbsent(key, value, options);
    },
    async putIfVersion(key, value, version, options) {
      await write(key, value);
      return table.putIfVersion(key, value, version, options);
    },
  };
}
