import type { Run } from '../records/run.ts';
import { assertKillable } from './assert-killable.ts';
import { killAgent } from './kill-agent.ts';
import type { ResidentPorts } from './ports.ts';

/**
 * Ends an agent and everything below it for good, because a person says so.
 * @returns the runs that were ended
 * @throws {ConfigError} as `assertKillable` does
 */
export async function killForPerson(run: Run, ports: ResidentPorts): Promise<string[]> {
  assertKillable(run);
  return killAgent(run, `killed by a person (${run.id})`, undefined, ports);
}
