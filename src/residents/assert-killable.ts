import { ConfigError } from '../errors.ts';
import { isDead } from '../runs/arrivals.ts';
import type { Run } from '../runs/run.ts';

/** @throws {ConfigError} if it is the top of its tree, or dead already */
export function assertKillable(run: Run): void {
  if (run.parent === undefined) throw new ConfigError('CANNOT_KILL_ROOT');
  if (isDead(run)) throw new ConfigError('Agent is already dead');
}
