import { durationOf } from '../records/run.ts';
import type { Instant } from '../records/times.ts';
import type { ShownRun } from './shown-tree.ts';
import { workedIn } from './words/elapsed.ts';

/** The facts of a run that tell how long it was worked on. */
type TimedRun = Pick<ShownRun, 'startedAt' | 'endedAt' | 'resumedAt' | 'workedMs' | 'times'> & {
  status: string;
};

/** How long a run was worked on, in milliseconds, as every door shows it; up to now, if it still is. */
export function shownDuration(run: TimedRun, now: Instant): number {
  return workedOn(run) ?? durationOf(run, now);
}

/** The same, for an interrupted run until it was last seen; null while it is worked on. */
export function workedOn(run: TimedRun): number | null {
  if (run.endedAt !== undefined) return durationOf(run, 0);
  if (run.status !== 'interrupted') return null;
  return run.times === undefined ? (run.workedMs ?? 0) : workedIn(run.times);
}
