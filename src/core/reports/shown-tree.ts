import type { RunReader } from '../records/ports.ts';
import { ANSWERED, UNDER_WAY, isIn } from '../records/phase.ts';
import { branchOf, type Run } from '../records/run.ts';
import type { OpenCallReader } from './open-calls.ts';
import type { ShownTimes } from './shown-times.ts';

/** A run as it is shown: `interrupted` if it has no carrier any more although it has not ended. */
export type ShownRun = Omit<Run, 'status' | 'spans'> & ShownTimes & { status: Run['status'] | 'interrupted' };

/** The reads that showing a tree takes. */
export type ShownTreeReader = OpenCallReader & Pick<RunReader, 'isCarriedOut' | 'tree' | 'turns'>;

/** A run with everything below it, itself first, at this moment. */
export async function shownTree(run: Run, records: ShownTreeReader): Promise<ShownRun[]> {
  // Asked first: a run that ends in between is then read as ended, and never as abandoned.
  const abandoned = !(await records.isCarriedOut(run.root));
  const branch = branchOf(run, await records.tree(run.id));
  if (branch.every((other) => isIn(ANSWERED, other))) return branch;
  const [{ shownRun }, { openCalls }] = await Promise.all([
    import('./shown-times.ts'),
    import('./open-calls.ts'),
  ]);
  return Promise.all(
    branch.map(async (other) => {
      if (isIn(ANSWERED, other)) return other;
      // The record is written when a run ends. Until then its turns tell what it did; if it was ended while its model
      // was at work, they have one turn more.
      const turns = await records.turns(other.id);
      const calls = isIn(UNDER_WAY, other) ? await openCalls(other.id, turns.at(-1), records) : undefined;
      return shownRun(other, shownStatus(other, abandoned), turns, { calls });
    }),
  );
}

/** @param abandoned whether its tree has no carrier any more */
export function shownStatus(run: Run, abandoned: boolean): ShownRun['status'] {
  // An idle fork needs no carrier.
  const isLeft = abandoned && isIn(UNDER_WAY, run);
  return isLeft ? 'interrupted' : run.status;
}
