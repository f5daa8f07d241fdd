import type { Agent } from '../agent-schema/agent.ts';
import type { AgentSource } from '../agent-schema/agent-source.ts';
import { loadAgent } from '../agent-schema/load-agent.ts';
import { ownTools, PLANNED_NAMES, TOOL_GROUPS } from '../agent-schema/tool-names.ts';
import { EXPRESS_SECONDS } from '../machine/express.ts';
import type { Origin } from './origin.ts';

/** Tools that start agents, wait, write to others, or ask a person. */
const REACHING: ReadonlySet<string> = new Set([...PLANNED_NAMES, ...TOOL_GROUPS.agents]);

/**
 * The sub-agents of an agent that run in Express executions when it calls them. One that turns out to need more is
 * moved to a Standard execution, so a wrong decision here only costs the move.
 */
export async function leavesOf(
  caller: Agent,
  { isAwaited }: Pick<Origin, 'isAwaited'>,
  source: AgentSource,
): Promise<string[]> {
  if (!caller.express || isAwaited) return [];
  const leaves = await Promise.all(
    caller.subAgents.map(async (name) => {
      // A file that cannot be read is its own run's failure.
      const loaded = await loadAgent(name, source).catch(() => undefined);
      return loaded !== undefined && isLeaf(loaded.agent, caller) ? [name] : [];
    }),
  );
  return leaves.flat();
}

/**
 * Whether an agent, as far as its file and that of its caller say, calls no agents, asks nobody and is done within five
 * minutes.
 */
export function isLeaf(agent: Agent, caller: Agent): boolean {
  // Agents that their caller may wait for stay ready for its messages.
  const isAwaited = ownTools(caller).includes('wait');
  const mayAsk =
    agent.permissions.ask.length > 0 ||
    agent.mode === 'ask' ||
    caller.mode === 'ask' ||
    agent.hooks.length > 0;
  const reaches = agent.subAgents.length > 0 || ownTools(agent).some((name) => REACHING.has(name));
  const given = [agent.timeout, caller.subAgentTimeout].filter((seconds) => seconds > 0);
  const isBatched = agent.params.service === 'batch' || caller.params.service === 'batch';
  return (
    !isAwaited && !mayAsk && !reaches && !isBatched && given.every((seconds) => seconds <= EXPRESS_SECONDS)
  );
}
