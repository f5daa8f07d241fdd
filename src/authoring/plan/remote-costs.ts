import type { Agent } from '../../core/agent-schema/agent.ts';

/** That an agent's calls of agents of others are left out of what is known of its cost, if it may make any. */
export function remoteCosts(agent: Pick<Agent, 'name' | 'remoteAgents'> | undefined): string[] {
  const remotes = agent?.remoteAgents.map(({ name }) => name) ?? [];
  if (remotes.length === 0) return [];
  return [
    `"${agent?.name}" may call agents of others (${remotes.join(', ')}): what they cost is not known, and no plan or budget counts it`,
  ];
}
