import { ConfigError } from '../errors.ts';
import { isDead } from '../runs/arrivals.ts';
import { KILLED, runsBelow, type Run } from '../runs/run.ts';
import { report } from './deliver.ts';
import { endAgents } from './end-agents.ts';
import type { ResidentPorts } from './ports.ts';
import { wakeWaiting } from './wake-agents.ts';

/**
 * Ends an agent and everything below it for good, because a person says so.
 * @returns the runs that were ended
 * @throws {ConfigError} if it is the top of its tree, or dead already
 */
export async function killForPerson(run: Run, ports: ResidentPorts): Promise<string[]> {
  if (run.parent === undefined) throw new ConfigError('CANNOT_KILL_ROOT');
  if (isDead(run)) throw new ConfigError('Agent is already dead');
  const failure = { error: KILLED, message: `killed by a person (${run.id})` };
  const self = (tree: readonly Run[]) => [...tree.filter(({ id }) => id === run.id), ...runsBelow(run, tree)];
  await report(run, await ports.store.turns(run.id), { status: 'stopped', failure }, ports);
  const ended = await endAgents(run.root, self, failure, ports);
  await wakeWaiting(run.root, ports);
  return ended;
}
