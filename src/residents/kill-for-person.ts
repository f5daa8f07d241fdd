import { ConfigError } from '../errors.ts';
import { isDead } from '../runs/arrivals.ts';
import type { Run } from '../runs/run.ts';
import { killAgent } from './kill-agent.ts';
import type { ResidentPorts } from './ports.ts';

/** @throws {ConfigError} if it is the top of its tree, or dead already */
export function assertKillable(run: Run): void {
  if (run.parent === undefined) throw new ConfigError('CANNOT_KILL_ROOT');
  if (isDead(run)) throw new ConfigError('Agent is already dead');
}

/**
 * Ends an agent and everything below it for good, because a person says so.
 * @returns the runs that were ended
 * @throws {ConfigError} if it is the top of its tree, or dead already
 */
export async function killForPerson(run: Run, ports: ResidentPorts): Promise<string[]> {
  assertKillable(run);
  return killAgent(run, `killed by a person (${run.id})`, undefined, ports);
}
