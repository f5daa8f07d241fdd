import { subAgentsOf, type AgentGraph } from './agent-graph.ts';
import { allFrom, type ReachableConversation } from './reachable.ts';

export interface Reach {
  /** Agents below the top, by name, that a run can reach within its depth. */
  within: string[];
  /** Agents that it could reach if it might go deeper. */
  beyond: string[];
  /** The deepest level that a run can reach; the top is 0. */
  depth: number;
  /** Which of the agents derive sub-agents from themselves, and how. */
  derived: Derived[];
}

/** Sub-agents that an agent derives from itself with one tool. */
export interface Derived {
  agent: string;
  by: string;
  /** The deepest level that they are on. */
  depth: number;
  /** How many of one run may be under way at once. */
  atOnce: number;
}

/** Which agents a run can reach. */
export function reach(graph: AgentGraph, top: ReachableConversation): Reach {
  const places = allFrom(top);
  const within = new Set(places.flatMap(({ callable }) => callable.flatMap(({ place }) => namedIn(place))));
  const all = new Set(subAgentsOf(graph, top.agent));
  for (const name of all) for (const further of subAgentsOf(graph, name)) all.add(further);
  return {
    within: [...within].sort(),
    beyond: [...all].filter((name) => !within.has(name)).sort(),
    depth: Math.max(...places.map(({ depth }) => depth)),
    derived: derivedIn(places),
  };
}

function namedIn({ agent, derivedBy }: ReachableConversation): string[] {
  return derivedBy === undefined ? [agent] : [];
}

/** Where a computed conversation calls, it does so for the tool that it carries out. */
function derivedIn(places: readonly ReachableConversation[]): Derived[] {
  const found = new Map<string, Derived>();
  for (const { agent, isComputed, derivedBy, callable } of places) {
    for (const { place, atOnce } of callable) {
      if (place.derivedBy === undefined || place.isComputed) continue;
      const by = (isComputed && derivedBy) || place.derivedBy;
      const before = found.get(`${agent} ${by}`);
      const depth = Math.max(place.depth, before?.depth ?? 0);
      found.set(`${agent} ${by}`, { agent, by, depth, atOnce });
    }
  }
  return [...found.values()];
}
