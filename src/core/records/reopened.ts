import { type Instant, millis } from './times.ts';
import { durationOf, type Run } from './run.ts';

/**
 * The record of a run that works again: it had ended, was idle, or its process has died. Nothing is left of its end,
 * and the time without a carrier does not count.
 * @param lastSeen when it last did anything (ISO 8601), where no record says when it stopped
 */
export function reopened(run: Run, now: Instant, lastSeen = ''): Run {
  const { failure: _failure, exceeded: _exceeded, incomplete: _incomplete, endedAt, ...open } = run;
  const began = run.resumedAt ?? run.startedAt;
  const stopped = { ...run, endedAt: endedAt ?? (lastSeen > began ? lastSeen : began) };
  return {
    ...open,
    status: 'running',
    resumedAt: new Date(now).toISOString(),
    workedMs: millis(Math.max(0, durationOf(stopped, now))),
  };
}
