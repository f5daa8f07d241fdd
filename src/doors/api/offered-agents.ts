import type { Agent } from '../../core/agent-schema/agent.ts';
import type { AgentSource } from '../../core/agent-schema/agent-source.ts';
import { loadAgent } from '../../core/agent-schema/load-agent.ts';

/** The tool that asks for the result of a run, and so the one name that no agent is offered under. */
export const RESULT_TOOL = 'run_result';

export interface OfferedAgent {
  name: string;
  agent: Agent;
}

/**
 * The agents that are tools for clients of MCP: those whose files say so and, where a file says nothing, those that are
 * no sub-agent of another. Agents with a fault in their files are left out.
 */
export async function offeredAgents(source: AgentSource): Promise<OfferedAgent[]> {
  const agents = await loadedAgents(source);
  return agents.filter(
    ({ name, agent }) => name !== RESULT_TOOL && (agent.serve.mcp ?? !isBelow(name, agents)),
  );
}

/** The agents that are no sub-agent of another, without those with a fault in their files. */
export async function topAgents(source: AgentSource): Promise<OfferedAgent[]> {
  const agents = await loadedAgents(source);
  return agents.filter(({ name }) => !isBelow(name, agents));
}

async function loadedAgents(source: AgentSource): Promise<OfferedAgent[]> {
  const names = await source.list();
  const loaded = await Promise.all(
    names.map((name) =>
      loadAgent(name, source).then(
        ({ agent }) => ({ name, agent }),
        () => undefined,
      ),
    ),
  );
  return loaded.filter((each) => each !== undefined);
}

function isBelow(name: string, agents: readonly OfferedAgent[]): boolean {
  return agents.some((other) => other.name !== name && other.agent.subAgents.includes(name));
}
