import { NOTHING_RUNS } from '../../core/lifecycle/ports.ts';
import { endEvent, settleRun } from '../../core/lifecycle/settle.ts';
import { pausedAt } from '../../core/records/clock.ts';
import { isIn, UNDER_WAY } from '../../core/records/phase.ts';
import type { RunStore } from '../../core/records/ports.ts';
import { carriedSince, isOverdue, type Run } from '../../core/records/run.ts';
import { onTreeClock, type Instant } from '../../core/records/times.ts';
import type { CloudExecutions } from './step-functions.ts';

interface Ports {
  store: RunStore;
  executions: CloudExecutions;
  now: () => Instant;
}

/**
 * Whether the top of a tree is carried, as far as can be told without asking Step Functions, which takes few requests:
 * it is asked for a run whose time is over.
 */
export async function isCarriedOut(root: string, { store, executions, now }: Ports): Promise<boolean> {
  const top = await store.run(root);
  if (top === undefined || top.execution === '' || !isIn(UNDER_WAY, top)) return true;
  if (!isOverdue(top, onTreeClock(now(), 0))) return true;
  const time = onTreeClock(now(), pausedAt(await store.clock(root), now()));
  return !isOverdue(top, time) || executions.isRunning(top.execution);
}

/**
 * Closes a run as its execution has ended, and everything below it, without waiting for the event that tells of it. That
 * event stops the executions that are left.
 */
export async function closeEnded(run: Run, { executions, ...ports }: Ports): Promise<void> {
  const end = await executions.endOf(run.execution, carriedSince(run));
  if (end !== undefined) await settleRun(endEvent(run, end), { ...NOTHING_RUNS, ...ports });
}
