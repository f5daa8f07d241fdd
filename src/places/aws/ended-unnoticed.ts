import { NOTHING_RUNS } from '../../core/lifecycle/ports.ts';
import { endEvent, settleRun } from '../../core/lifecycle/settle.ts';
import type { RunStore } from '../../core/records/ports.ts';
import { carriedSince, type Run } from '../../core/records/run.ts';
import type { Instant } from '../../core/records/times.ts';
import type { CloudExecutions } from './step-functions.ts';

interface Ports {
  store: RunStore;
  executions: CloudExecutions;
  now: () => Instant;
}

/**
 * Closes a run whose execution has ended, and everything below it, without waiting for the event about it. That event
 * stops the executions that are left.
 */
export async function closeEnded(run: Run, { executions, ...ports }: Ports): Promise<void> {
  const end = await executions.endOf(run.execution, carriedSince(run));
  if (end !== undefined) await settleRun(endEvent(run, end), { ...NOTHING_RUNS, ...ports });
}
