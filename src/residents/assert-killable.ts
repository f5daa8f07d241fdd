import { ConfigError } from '../errors.ts';
import { isDead } from '../runs/arrivals.ts';
import type { Run } from '../runs/run.ts';

/** @throws {ConfigError} if it is the top of its tree, or dead already */
export function assertKillable(run: Run): void {
  if (run.parent === undefined) {
    throw new ConfigError(`run "${run.id}" is at the top of its tree, which nobody kills: stop it instead`);
  }
  if (isDead(run)) throw new ConfigError(`run "${run.id}" has ended for good: its status is ${run.status}`);
}
