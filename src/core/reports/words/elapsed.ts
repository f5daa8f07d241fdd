import type { Times } from '../../records/spans.ts';
import type { RunOverview } from '../run-schemas.ts';

/** The facts of a run that tell how long it took. */
export type ElapsedRun = Pick<RunOverview, 'duration_ms' | 'started_at' | 'status' | 'times'>;

/**
 * How long a run has been worked on, in milliseconds: the one rule for lists, trees and the command line. Time at rest,
 * or without a carrier, does not count.
 * @param now milliseconds since 1970
 */
export function elapsed(
  { duration_ms: known, started_at: startedAt, status, times }: ElapsedRun,
  now: number,
): number {
  if (known !== null) return known;
  const start = Date.parse(startedAt);
  if (times === undefined) return Math.max(0, now - start);
  const worked = workedIn(times);
  const since = start + worked + times.idle + times.gap;
  return status === 'running' ? worked + Math.max(0, now - since) : worked;
}

/** All time of a run except when it rested, or nothing carried it. */
export function workedIn({ idle: _idle, gap: _gap, ...times }: Times): number {
  return Object.values(times).reduce((sum, each) => sum + each, 0);
}
