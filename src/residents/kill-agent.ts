import { KILLED, runsBelow, type Run } from '../runs/run.ts';
import { report } from './deliver.ts';
import { endAgents } from './end-agents.ts';
import type { ResidentPorts } from './ports.ts';
import { wakeWaiting } from './wake-agents.ts';

/**
 * Ends an agent and everything below it for good, and tells those who counted on the agent or wait for it.
 * @param message why, in the records of those that are ended; who repeats the call gives the same message
 * @param by the run that kills the agent, which needs no report of it; undefined: a person
 * @returns the runs that were ended by this call
 */
export async function killAgent(
  agent: Run,
  message: string,
  by: string | undefined,
  ports: ResidentPorts,
): Promise<string[]> {
  const { store } = ports;
  const withBelow = (tree: readonly Run[]) => [
    ...tree.filter(({ id }) => id === agent.id),
    ...runsBelow(agent, tree),
  ];
  const ended = await endAgents(agent.root, withBelow, { error: KILLED, message }, ports);
  if (agent.parent?.run !== by && ended.includes(agent.id)) {
    const killed = await store.run(agent.id);
    if (killed !== undefined) await report(killed, await store.turns(agent.id), ports);
  }
  await wakeWaiting(agent.root, ports);
  return ended;
}
