import type { Instant } from './times.ts';
import { AT_REST, ENDED, isIn } from './phase.ts';
import { durationOf, type Run } from './run.ts';

/**
 * The record of a run that works again: it had ended, was idle, or its process has died. Nothing is left of its end,
 * and the time without a carrier does not count.
 * @param lastSeen when it last did anything (ISO 8601), where no record says when it stopped
 */
export function reopened(run: Run, now: Instant, lastSeen = ''): Run {
  const {
    failure: _failure,
    exceeded: _exceeded,
    incomplete: _incomplete,
    stoppedBy: _stoppedBy,
    times: _times,
    spans: _spans,
    isToBeKilled,
    endedAt,
    ...open
  } = run;
  const began = run.resumedAt ?? run.startedAt;
  const stopped = { ...run, endedAt: endedAt ?? (lastSeen > began ? lastSeen : began) };
  return {
    ...open,
    // A person wanted to end what it did then, which had come to its end.
    ...(isToBeKilled && !isIn(ENDED, run) && { isToBeKilled }),
    status: 'running',
    resumedAt: new Date(now).toISOString(),
    workedMs: durationOf(stopped, now),
    gaps: withGap(run, Date.parse(stopped.endedAt), now),
  };
}

/** So many gaps are listed: an agent may be woken thousands of times. */
const MAX_GAPS = 50;

function withGap({ gaps = [], status }: Run, from: Instant, to: Instant): Run['gaps'] & {} {
  const kind = isIn(AT_REST, { status }) ? 'idle' : 'gap';
  const all = [...gaps, [kind, from, Math.max(from, to)] satisfies (Run['gaps'] & {})[number]];
  if (all.length <= MAX_GAPS) return all;
  const shortest = all.reduce((one, other) => (other[2] - other[1] < one[2] - one[1] ? other : one));
  return all.filter((each) => each !== shortest);
}
