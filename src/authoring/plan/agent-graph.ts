import type { Agent } from '../../core/agent-schema/agent.ts';
import { faultText, type AgentSource } from '../../core/agent-schema/agent-source.ts';
import { checkModels } from '../loading/check-agent.ts';
import { loadAgent } from '../../core/agent-schema/load-agent.ts';

/** Agents by name, and the faults of those that cannot be loaded or have models of unknown providers. */
export interface AgentGraph {
  agents: ReadonlyMap<string, Agent>;
  faults: ReadonlyMap<string, readonly string[]>;
}

/**
 * Loads agents and all that can be reached from them.
 * @param providers names of providers that are set up besides the known ones
 */
export async function loadAgentGraph(
  names: readonly string[],
  source: AgentSource,
  providers: readonly string[] = [],
): Promise<AgentGraph> {
  const agents = new Map<string, Agent>();
  const faults = new Map<string, string[]>();
  const waiting = new Set(names);
  for (const name of waiting) {
    try {
      const loaded = await loadAgent(name, source);
      agents.set(name, loaded.agent);
      faults.set(name, await checkModels(loaded, providers));
      for (const subAgent of loaded.agent.subAgents) waiting.add(subAgent);
    } catch (thrown) {
      faults.set(name, [await faultText(thrown)]);
    }
  }
  return { agents, faults };
}

/** Ways among the agents below `top` that lead back to where they began, each once: `["a", "b", "a"]`. */
export function cycles(graph: AgentGraph, top: string): string[][] {
  const found: string[][] = [];
  const done = new Set<string>();
  const follow = (name: string, way: readonly string[]) => {
    const start = way.indexOf(name);
    if (start >= 0) found.push([...way.slice(start), name]);
    if (start >= 0 || done.has(name)) return;
    for (const next of subAgentsOf(graph, name)) follow(next, [...way, name]);
    done.add(name);
  };
  follow(top, []);
  return found;
}

/** Each once, also those that cannot be loaded. */
export function subAgentsOf({ agents }: AgentGraph, name: string): string[] {
  return [...new Set(agents.get(name)?.subAgents)];
}
