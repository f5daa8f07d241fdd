import type { Executions } from '../machine/executions.ts';
import { DEAD, isIn } from '../records/phase.ts';
import type { Run } from '../records/run.ts';

/**
 * Whether the execution of a run still runs although the record is closed: it was redriven, and has not taken a step
 * yet.
 */
export async function isRedriven(run: Run, { isRunning }: Pick<Executions, 'isRunning'>): Promise<boolean> {
  return isIn(DEAD, run) && run.execution !== '' && isRunning(run.execution);
}
