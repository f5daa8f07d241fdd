import { assertKillable } from './assert-killable.ts';
import { KILLED } from '../records/phase.ts';
import { branchOf, type Run } from '../records/run.ts';
import { report } from './report.ts';
import { endAgents } from './end-agents.ts';
import type { ResidentPorts } from './ports.ts';
import { wakeWaiting } from './wake-agents.ts';

/**
 * Ends an agent and everything below it for good, and tells the agents that count on it or wait for it.
 * @param message the reason, for the records of the ended agents; a repeated call gives the same message
 * @param by the run that kills the agent, and needs no report of it; undefined: a person
 * @returns the runs that were ended with this message
 */
export async function killAgent(
  agent: Run,
  message: string,
  by: string | undefined,
  ports: ResidentPorts,
): Promise<string[]> {
  const failure = { error: KILLED, message };
  if (agent.parent?.run !== by) {
    await report(agent, await ports.store.turns(agent.id), { status: 'stopped', failure }, ports);
  }
  const ended = await endAgents(agent.root, (tree) => branchOf(agent, tree), failure, ports);
  await wakeWaiting(agent.root, ports);
  return ended;
}

/**
 * Ends an agent and everything below it for good, because a person says so. A repeated call goes on where the first one
 * broke off.
 * @returns the runs that were ended
 * @throws {ConfigError} as `assertKillable` does
 */
export async function killForPerson(run: Run, ports: ResidentPorts): Promise<string[]> {
  if (!isKilledForPerson(run)) assertKillable(run);
  return killAgent(run, messageOf(run), undefined, ports);
}

/** Whether a run was ended by `killForPerson`, which may have broken off since. */
export function isKilledForPerson(run: Run): boolean {
  return run.failure?.message === messageOf(run);
}

function messageOf({ id }: Pick<Run, 'id'>): string {
  return `killed by a person (${id})`;
}
