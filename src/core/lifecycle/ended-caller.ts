import type { RunStore } from '../records/ports.ts';
import { DEAD, GONE, OPEN, isIn, type Phase } from '../records/phase.ts';
import type { Run } from '../records/run.ts';

/**
 * The agent above a run that was ended, together with everything below it. Agents that have answered are skipped: they
 * may have been woken, and need no agent above them at work.
 */
export async function endedCaller(
  { parent }: Pick<Run, 'parent'>,
  store: Pick<RunStore, 'run'>,
  ended: ReadonlySet<Phase> = DEAD,
): Promise<Run | undefined> {
  for (let above = parent; above !== undefined;) {
    const caller = await store.run(above.run);
    if (caller === undefined || isIn(OPEN, caller)) return undefined;
    if (isIn(ended, caller)) return caller;
    above = caller.parent;
  }
  return undefined;
}

/** Whether only a person can bring a run back to work, or nobody can. */
export async function isOutOfReach(run: Run, store: Pick<RunStore, 'run'>): Promise<boolean> {
  return isIn(DEAD, run) || (!isIn(OPEN, run) && (await endedCaller(run, store)) !== undefined);
}

/**
 * Whether an agent that has ended has begun one below it again since: it was redriven, and until the first step of its
 * run, its own record does not say so.
 */
export function hasBegunAgain(ended: Run, { parent, parentHolder = 1 }: Run): boolean {
  return parent?.run === ended.id && parentHolder > ended.holder && !isIn(GONE, ended);
}
