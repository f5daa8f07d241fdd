import type { Run } from '../records/run.ts';
import { coarser, MAX_SPANS, timesOf, type SpanKind, type Times } from '../records/spans.ts';
import { timelineOf, type RunFacts } from '../records/timeline.ts';
import type { Instant } from '../records/times.ts';
import { unusedOf, usageOf, type Turn } from '../records/turn.ts';
import type { ShownRun } from './shown-tree.ts';

/** A stretch of a run's time; `null`: it has not ended. */
export type ShownSpan = [kind: SpanKind, milliseconds: number | null];

/** How a run has spent its time: totals of what is over, and a sequence with what is still going on. */
export interface ShownTimes {
  times?: Times;
  spans?: ShownSpan[];
}

/** A run with all that its turns tell of it. */
export function shownRun(
  run: Run,
  status: ShownRun['status'],
  turns: readonly Turn[],
  facts?: RunFacts,
): ShownRun {
  return {
    ...run,
    usage: usageOf(turns, unusedOf(run, turns)),
    status,
    ...shownTimes(run, status, turns, facts),
  };
}

/** Later than anything: what goes on has not ended then. */
const NEVER = Number.MAX_SAFE_INTEGER;

/** These change only when something has happened, so that followers are not told of them again and again. */
function shownTimes(
  run: Run,
  status: ShownRun['status'],
  turns: readonly Turn[],
  facts: RunFacts = {},
): ShownTimes {
  const isLeft = status === 'interrupted';
  const isOver = run.endedAt !== undefined || isLeft;
  const { times, spans } = run;
  if (isOver && times !== undefined && spans !== undefined) {
    return { times, spans: [...spans, ...restOf(status)] };
  }
  const all = timelineOf(run, turns, isLeft ? lastSeen(run, turns) : NEVER, facts);
  const open: ShownSpan[] = isOver ? restOf(status) : all.splice(-1).map(([kind]) => [kind, null]);
  return { times: timesOf(all), spans: [...coarser(all, MAX_SPANS), ...open] };
}

/** What a run that nothing goes on in spends its time with. */
function restOf(status: ShownRun['status']): ShownSpan[] {
  if (status === 'idle') return [['idle', null]];
  return status === 'interrupted' ? [['gap', null]] : [];
}

/** When a run whose process is gone was last active, as far as is known. */
function lastSeen({ startedAt, resumedAt = startedAt }: Run, turns: readonly Turn[]): Instant {
  return Math.max(Date.parse(resumedAt), Date.parse(turns.at(-1)?.at ?? startedAt));
}
