import type { Executions } from '../executions/executions.ts';
import { hasAnswer, isOpen, type Run } from '../runs/run.ts';

/**
 * Whether the execution of a run goes on although its record is closed: it was redriven, and has not come to it yet.
 */
export async function isRedriven(run: Run, { isRunning }: Pick<Executions, 'isRunning'>): Promise<boolean> {
  return !isOpen(run) && !hasAnswer(run) && run.execution !== '' && isRunning(run.execution);
}
