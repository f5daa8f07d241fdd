import { OPEN, isIn } from '../records/phase.ts';
import type { RunStore } from '../records/ports.ts';
import type { Run } from '../records/run.ts';

/**
 * Notes who is about to stop or kill a run. This comes first, since another process may record the end.
 * @param by undefined: not known
 */
export async function noteStoppedBy(
  run: Run,
  by: string | undefined,
  store: Pick<RunStore, 'updateRun'>,
): Promise<void> {
  if (by === undefined) return;
  await store.updateRun(run.id, (one) => (isIn(OPEN, one) ? { ...one, stoppedBy: by } : one), run);
}
