import { killForPerson } from '../../core/lifecycle/kill-agent.ts';
import { NOTHING_RUNS, type ResidentPorts } from '../../core/lifecycle/ports.ts';
import { isAnyRunning } from '../../core/lifecycle/recover.ts';
import { goOn } from '../../core/lifecycle/resume.ts';
import type { Run } from '../../core/records/run.ts';
import { unlessCarried } from './run-lock.ts';

/**
 * Ends an agent for a person, and carries on the rest of its tree, unless another process does: that one finds out.
 * @param carry carries the tree out while it does something
 * @param residents its executions take the lock of a tree for themselves
 * @returns the runs that were ended
 * @throws {ConfigError} if the agent is not there to be ended
 */
export async function killInFolder(
  run: Run,
  residents: ResidentPorts,
  carry: <T>(root: string, work: () => Promise<T>) => Promise<T>,
): Promise<string[]> {
  const here = <T>(work: () => Promise<T>) => unlessCarried(() => carry(run.root, work));
  const killed = await here(() => killInTree(run, residents));
  if (killed.fault === undefined) return killed.done;
  // Nothing of a tree is started but with all that was left of it.
  const ended = await killForPerson(run, { ...residents, ...NOTHING_RUNS });
  // The other process may have died before it went on with those who were told.
  await here(() => goOn(run.root, residents));
  return ended;
}

/** The rest of a tree whose process has died is carried on without the agent. */
async function killInTree(run: Run, ports: ResidentPorts): Promise<string[]> {
  const isCarried = await isAnyRunning(await ports.store.tree(run.root), ports.executions);
  // The agents that are told of it in a tree without a carrier go on with the others.
  const killed = await killForPerson(run, isCarried ? ports : { ...ports, ...NOTHING_RUNS });
  await goOn(run.root, ports);
  return killed;
}
