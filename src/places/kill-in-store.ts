import type { Instant } from '../core/records/times.ts';
import { killForPerson } from '../core/lifecycle/kill-for-person.ts';
import { NOTHING_RUNS } from '../core/lifecycle/ports.ts';
import type { RunStore } from '../core/records/ports.ts';
import type { Run } from '../core/records/run.ts';

/**
 * Ends an agent for a person by its records alone. The process that carries the tree out sees them, ends the runs, and
 * goes on with the agents that were told; where there is none, they go on when the tree is resumed.
 * @returns the runs that were ended
 * @throws {ConfigError} if the agent is not there to be ended
 */
export function killInStore(run: Run, store: RunStore, now: () => Instant): Promise<string[]> {
  return killForPerson(run, { ...NOTHING_RUNS, store, now });
}
