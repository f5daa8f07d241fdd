import { durationOf } from '../records/run.ts';
import type { Times } from '../records/spans.ts';
import { millis, type Instant, type Millis } from '../records/times.ts';
import type { ShownRun } from './shown-tree.ts';

/** The facts of a run that tell how long it was worked on. */
export type ElapsedRun = Pick<ShownRun, 'startedAt' | 'endedAt' | 'resumedAt' | 'workedMs' | 'times'> & {
  status: string;
};

/** How long a run has been worked on, as every door shows it: of one that is interrupted, until it was last seen. */
export function elapsed(run: ElapsedRun, now: Instant): Millis {
  if (run.status !== 'interrupted' || run.endedAt !== undefined) return durationOf(run, now);
  return run.times === undefined ? (run.workedMs ?? 0) : workedIn(run.times);
}

/** All the time of a run but that in which it rested, or nothing carried it. */
export function workedIn({ idle: _idle, gap: _gap, ...times }: Times): Millis {
  return millis(Object.values(times).reduce((sum, each) => sum + each, 0));
}
