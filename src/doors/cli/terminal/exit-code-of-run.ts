import { AT_REST, isIn } from '../../../core/records/phase.ts';
import type { Run } from '../../../core/records/run.ts';
import { EXIT, exitCodeOfFailure } from './exit-code.ts';

/** The exit code for a run that has ended, or come to rest. */
export function exitCodeOfRun(run: Run): number {
  if (run.exceeded !== undefined) return EXIT.budget;
  if (isIn(AT_REST, run)) return EXIT.success;
  return run.failure === undefined ? EXIT.agent : exitCodeOfFailure(run.failure);
}
