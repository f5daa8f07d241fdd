import type { AgentSource, LoadedAgent } from './agent-source.ts';
import { loadAgent } from './load-agent.ts';

/** An agent, followed by all agents that it can call, each once. Sub-agents that cannot be loaded are left out. */
export async function* agentTree(
  name: string,
  loaded: LoadedAgent,
  source: AgentSource,
): AsyncGenerator<LoadedAgent> {
  const tree = new Map([[name, loaded]]);
  for (const current of tree.values()) {
    yield current;
    for (const subAgent of current.agent.subAgents) {
      const below = tree.has(subAgent) ? undefined : await loadAgent(subAgent, source).catch(() => undefined);
      if (below !== undefined) tree.set(subAgent, below);
    }
  }
}
