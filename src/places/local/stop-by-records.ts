import type { Instant } from '../../core/records/times.ts';
import { NOTHING_RUNS } from '../../core/lifecycle/ports.ts';
import { endEvent, settleRun } from '../../core/lifecycle/settle.ts';
import type { RunStore } from '../../core/records/ports.ts';
import type { Run } from '../../core/records/run.ts';
import { shownTree } from '../../core/reports/shown-tree.ts';
import type { LocalStore } from './local-store.ts';

/**
 * Stops a run of this folder by its records. If another process carries it, that process sees them and ends the runs;
 * if that process has died, what it left open is closed.
 * @throws {ConfigError} if a process takes it up meanwhile
 */
export async function stopByRecords(
  run: Run,
  cause: string,
  { runs: store, locks }: Pick<LocalStore, 'locks' | 'runs'>,
  now: () => Instant,
): Promise<void> {
  const owner = await locks.owner(run.root);
  // One that closes something of the tree may have been asked for less.
  if (owner?.purpose === 'carry out' || owner?.purpose === 'close') {
    return closeAsStopped(run, cause, store, now);
  }
  // The lock keeps others from taking the run up meanwhile.
  await locks.take(run.root, 'close');
  try {
    const tree = await shownTree(run, { ...store, isCarriedOut: (root) => locks.isTaken(root) });
    for (const each of tree) await closeAsStopped(each, cause, store, now);
  } finally {
    await locks.release(run.root);
  }
}

/** Closes a run, and everything below it, as stopped. */
async function closeAsStopped(
  run: Pick<Run, 'id' | 'holder' | 'execution'>,
  cause: string,
  store: RunStore,
  now: () => Instant,
): Promise<void> {
  await settleRun(endEvent(run, { status: 'ABORTED', cause }), { ...NOTHING_RUNS, store, now });
}
