import type { Executions } from '../machine/executions.ts';
import { DEAD, isIn } from '../records/phase.ts';
import type { Run } from '../records/run.ts';

/** Whether the execution of a run still runs although its record is closed: it was redriven, and took no step yet. */
export async function isRedriven(run: Run, { isRunning }: Pick<Executions, 'isRunning'>): Promise<boolean> {
  return isIn(DEAD, run) && run.execution !== '' && isRunning(run.execution);
}
