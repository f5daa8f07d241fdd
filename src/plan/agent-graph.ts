import type { Agent } from '../agent/agent.ts';
import type { AgentSource } from '../agent/agent-source.ts';
import { loadAgent } from '../agent/load-agent.ts';
import { messageOf } from '../errors.ts';

/** Agents by name, and for those that cannot be loaded, why. */
export interface AgentGraph {
  agents: ReadonlyMap<string, Agent>;
  faults: ReadonlyMap<string, string>;
}

/** Loads agents and all that can be reached from them. */
export async function loadAgentGraph(names: readonly string[], source: AgentSource): Promise<AgentGraph> {
  const agents = new Map<string, Agent>();
  const faults = new Map<string, string>();
  const waiting = new Set(names);
  for (const name of waiting) {
    try {
      const { agent } = await loadAgent(name, source);
      agents.set(name, agent);
      for (const subAgent of agent.subAgents) waiting.add(subAgent);
    } catch (thrown) {
      faults.set(name, messageOf(thrown));
    }
  }
  return { agents, faults };
}

/** The agents that a run of `name` can call at a depth: all different ones of its list, or none at the depth limit. */
export function callable(graph: AgentGraph, name: string, depth: number, maxDepth: number): string[] {
  return depth < maxDepth ? subAgentsOf(graph, name) : [];
}

export interface Reach {
  /** Agents below the top, by name, that a run can come to within its depth. */
  within: string[];
  /** Agents that it could come to if it might go deeper. */
  beyond: string[];
  /** The deepest level that a run can come to; the top is 0. */
  depth: number;
}

/** Which agents a run of `top` can come to. */
export function reach(graph: AgentGraph, top: string): Reach {
  const maxDepth = graph.agents.get(top)?.maxDepth ?? 0;
  const within = new Set<string>();
  let depth = 0;
  for (let level = [top]; ; depth++) {
    const next = new Set(level.flatMap((name) => callable(graph, name, depth, maxDepth)));
    if (next.size === 0) break;
    for (const name of next) within.add(name);
    level = [...next];
  }
  const all = new Set(subAgentsOf(graph, top));
  for (const name of all) for (const further of subAgentsOf(graph, name)) all.add(further);
  return { within: [...within].sort(), beyond: [...all].filter((name) => !within.has(name)).sort(), depth };
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

function subAgentsOf({ agents }: AgentGraph, name: string): string[] {
  return [...new Set(agents.get(name)?.subAgents)];
}
