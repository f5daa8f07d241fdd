import type { Instant } from '../core/records/times.ts';
import { NOTHING_RUNS } from '../core/lifecycle/ports.ts';
import { endEvent, settleRun } from '../core/lifecycle/settle.ts';
import type { RunStore } from '../core/records/ports.ts';
import type { Run } from '../core/records/run.ts';
import { shownTree } from '../core/reports/shown-tree.ts';
import type { RunLocks } from './local/run-lock.ts';

/**
 * Closes a run that has no carrier any more, and everything below it, as stopped: the process that would have done so
 * is gone. The lock keeps others from taking the run up meanwhile.
 * @throws {ConfigError} if it has a carrier after all
 */
export async function closeInterrupted(
  run: Run,
  cause: string,
  { store, locks }: { store: RunStore; locks: RunLocks },
  now: () => Instant,
): Promise<void> {
  await locks.take(run.root, 'close');
  try {
    const tree = await shownTree(run, { ...store, isCarriedOut: (root) => locks.isTaken(root) });
    for (const each of tree) await closeAsStopped(each, cause, store, now);
  } finally {
    await locks.release(run.root);
  }
}

/** Closes a run, and everything below it, as stopped. A process that carries it out sees that and ends it. */
export async function closeAsStopped(
  run: Pick<Run, 'id' | 'holder' | 'execution'>,
  cause: string,
  store: RunStore,
  now: () => Instant,
): Promise<void> {
  await settleRun(endEvent(run, { status: 'ABORTED', cause }), { ...NOTHING_RUNS, store, now });
}
