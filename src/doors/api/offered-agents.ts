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
 * The agents offered to clients: those whose files say so and, where a file says nothing, those that are no sub-agent
 * of another. Agents with a fault in their files are left out.
 */
export async function offeredAgents(source: AgentSource): Promise<OfferedAgent[]> {
  const names = await source.list();
  const loaded = await Promise.all(
    names.map((name) =>
      loadAgent(name, source).then(
        ({ agent }) => ({ name, agent }),
        () => undefined,
      ),
    ),
  );
  const agents = loaded.filter((each) => each !== undefined);
  const isBelow = (name: string) =>
    agents.some((other) => other.name !== name && other.agent.subAgents.includes(name));
  return agents.filter(({ name, agent }) => name !== RESULT_TOOL && (agent.serve.mcp ?? !isBelow(name)));
}
