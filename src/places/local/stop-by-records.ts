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
  const holder = await locks.holder(run.root);
  if (holder?.purpose === 'close') return; // another process stops it, and is about to close it
  if (holder?.purpose === 'carry out') return closeAsStopped(run, cause, store, now);
  await closeInterrupted(run, cause, { store, locks }, now);
}
