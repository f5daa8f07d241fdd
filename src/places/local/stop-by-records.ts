import type { Instant } from '../../core/records/times.ts';
import type { Run } from '../../core/records/run.ts';
import { closeAsStopped, closeInterrupted } from '../close-interrupted.ts';
import type { LocalStore } from './local-store.ts';

/**
 * Stops a run of this folder by its records, whichever process carries it out: that one sees them, and ends the runs.
 * Where it is gone, what it left open is closed.
 */
export async function stopByRecords(
  run: Run,
  cause: string,
  { runs: store, locks }: Pick<LocalStore, 'locks' | 'runs'>,
  now: () => Instant,
): Promise<void> {
  const owner = await locks.owner(run.root);
  if (owner?.purpose === 'close') return; // another process stops it, and is about to close it
  if (owner?.purpose === 'carry out') return closeAsStopped(run, cause, store, now);
  await closeInterrupted(run, cause, { store, locks }, now);
}
