import { UNDER_WAY, isIn } from '../records/phase.ts';
import { isBeside, type Run } from '../records/run.ts';
import type { Instant } from '../records/times.ts';
import { CLOSING_MS } from './tree-event.ts';

/** Whether anything goes on in a tree, or in a part of one. @param at when it was read */
export function isAnyGoingOn(runs: Iterable<Run>, at: Instant): boolean {
  const tree = new Map([...runs].map((run) => [run.id, run]));
  const goesOn = (run: Run): boolean => {
    if (!isIn(UNDER_WAY, run)) return false;
    const caller = run.parent && tree.get(run.parent.run);
    if (isBeside(run) || caller === undefined || goesOn(caller)) return true;
    // A run that was left open below an ended caller is not waited for without end.
    return at - Date.parse(caller.endedAt ?? caller.startedAt) <= CLOSING_MS;
  };
  return [...tree.values()].some(goesOn);
}

/**
 * The state of runs in short, to see whether they have gone on since: an execution may come to rest, go on for a message
 * and come to rest again.
 */
export function stateOf(runs: Iterable<Run>): string {
  return [...runs]
    .map(({ id, holder, status, resumedAt, endedAt }) => [id, holder, status, resumedAt, endedAt].join(' '))
    .sort()
    .join();
}
