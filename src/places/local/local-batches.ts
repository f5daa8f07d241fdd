import type { BatchPorts } from '../../core/batches/ports.ts';
import type { AwaitingBatch } from '../../core/lifecycle/await-batch.ts';
import { isOfTree } from '../../core/records/run-id.ts';
import type { LocalTime } from '../time.ts';

/** The buckets of turns that wait for batches here. */
export interface LocalBatches {
  /** Looks after the bucket of a state that waits. */
  add(waiting: AwaitingBatch): void;
  /** Looks once more after the batch of a run's next turn, whose time to wait may have passed without any process. */
  overdue(run: string): Promise<void>;
  /** Looks once more after the buckets of a tree that has come to rest: what it leaves behind may be to cancel. */
  over(root: string): Promise<void>;
  /** Looks no more. */
  close(): void;
}

export interface LocalBatchesPorts {
  ports: Omit<BatchPorts, 'openBucket' | 'sleep'>;
  time: LocalTime;
  /** Called with failures of a look, which is made again. */
  report(thrown: unknown): void;
}

/** How long a bucket is left alone after a look that failed. */
const FAILED_MS = 60_000;

/** A bucket that is looked after. */
interface Watched {
  model: string;
  roots: Set<string>;
  /** Cancels the next look. */
  cancel: () => void;
  looking: Promise<void> | undefined;
}

/**
 * Looks after buckets as long as this process lives. Several processes may look after the same one: each finds in the
 * store what the others have done, and wakes its own states. A run that goes on elsewhere is in its bucket there.
 */
export function createLocalBatches({ ports, time, report }: LocalBatchesPorts): LocalBatches {
  const watched = new Map<string, Watched>();
  const ended = new AbortController();

  async function look(bucket: string, { model }: Watched): Promise<number | undefined> {
    const { advanceBucket } = await import('../../core/batches/advance-bucket.ts');
    const all = {
      ...ports,
      // What is put off to another bucket is looked after with it.
      openBucket: async (next: string, of: string) => void follow(next, of),
      sleep: (milliseconds: number, signal: AbortSignal) => time.sleep(milliseconds, signal),
    };
    const looked = await advanceBucket({ bucket, model }, all, ended.signal);
    return looked.next === 'done' ? undefined : Date.parse(looked.at);
  }

  function lookNow(bucket: string, one: Watched): Promise<void> {
    if (one.looking !== undefined) return one.looking;
    one.cancel();
    const work = look(bucket, one).catch((thrown: unknown) => {
      if (!ended.signal.aborted) report(thrown);
      return time.now() + FAILED_MS;
    });
    one.looking = time.during(
      work.then((next) => {
        one.looking = undefined;
        if (next === undefined) watched.delete(bucket);
        else plan(bucket, one, next);
      }),
    );
    return one.looking;
  }

  function plan(bucket: string, one: Watched, at: number): void {
    if (ended.signal.aborted) return;
    one.cancel = time.after(Math.max(0, at - time.now()), () => void lookNow(bucket, one));
  }

  function follow(bucket: string, model: string): Watched {
    const known = watched.get(bucket);
    if (known !== undefined) return known;
    const one: Watched = { model, roots: new Set(), cancel: () => {}, looking: undefined };
    watched.set(bucket, one);
    plan(bucket, one, time.now());
    return one;
  }

  return {
    add: ({ run, bucket, model }) => void follow(bucket, model).roots.add(run),
    async overdue(run) {
      const { store, now } = ports;
      if ((await store.opened(run))?.service !== 'batch') return;
      const batches = await store.batches();
      const turn = ((await store.newestTurn(run))?.number ?? 0) + 1;
      const pending = await batches.pendingTurn(run, turn);
      if (pending === undefined || now() < pending.until || (await batches.batchedResult(run, turn))) return;
      const { joinBucket } = await import('../../core/batches/join-bucket.ts');
      const bucket = await joinBucket(run, pending, { batches, openBucket: async () => {}, now });
      const one = follow(bucket, pending.model);
      one.roots.add(run);
      // The first look may have to find the batch, where only the attempt to create it was noted.
      await lookNow(bucket, one);
      await lookNow(bucket, one);
    },
    async over(root) {
      const left = [...watched].filter(([, { roots }]) => [...roots].some((run) => isOfTree(run, root)));
      await Promise.all(left.map(([bucket, one]) => lookNow(bucket, one)));
    },
    close() {
      ended.abort();
      for (const { cancel } of watched.values()) cancel();
    },
  };
}
