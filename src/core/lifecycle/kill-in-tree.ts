import type { Run } from '../records/run.ts';
import { isAnyRunning } from './recover.ts';
import { killForPerson } from './kill-for-person.ts';
import { NOTHING_RUNS, type ResidentPorts } from './ports.ts';
import { goOn } from './resume.ts';

/**
 * Ends an agent for a person where processes carry trees, and may have died: the rest of its tree is carried on without
 * it.
 * @returns the runs that were ended
 * @throws {ConfigError} as `killForPerson` does
 */
export async function killInTree(run: Run, ports: ResidentPorts): Promise<string[]> {
  const isCarried = await isAnyRunning(await ports.store.tree(run.root), ports.executions);
  // The agents that are told of it in a tree without a carrier go on with the others.
  const killed = await killForPerson(run, isCarried ? ports : { ...ports, ...NOTHING_RUNS });
  await goOn(run.root, ports);
  return killed;
}
