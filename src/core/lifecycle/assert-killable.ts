import { ConfigError } from '../../errors.ts';
import { ANSWERED, OPEN, isIn } from '../records/phase.ts';
import type { Run } from '../records/run.ts';

/** @throws {ConfigError} if it is the top of its tree, or neither at work nor idle */
export function assertKillable(run: Run): void {
  if (run.parent === undefined) {
    throw new ConfigError(
      `run "${run.id}" is at the top of its tree, which cannot be killed: stop it instead`,
    );
  }
  if (isIn(OPEN, run)) return;
  throw new ConfigError(
    isIn(ANSWERED, run)
      ? `run "${run.id}" has its answer, and only agents at work or idle can be killed: its status is ${run.status}`
      : `run "${run.id}" has ended for good: its status is ${run.status}`,
  );
}
