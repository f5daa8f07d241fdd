import type { AgentResource } from '../../api/answers.ts';

/** The other agents that an agent may call. */
export function calledBy({ name, calls }: Pick<AgentResource, 'calls' | 'name'>): string[] {
  return calls.flatMap(({ agent }) => (agent === name ? [] : [agent]));
}

/** The tools by which an agent starts copies of itself. */
export function copyingTools({ name, calls }: Pick<AgentResource, 'calls' | 'name'>): string[] {
  return calls.flatMap(({ agent, by }) => (agent === name ? [by] : []));
}

export function callersOf(name: string, agents: readonly AgentResource[]): string[] {
  return agents.filter((each) => calledBy(each).includes(name)).map((each) => each.name);
}

/** How many calls lead to each agent from one of them, itself included. */
export function levelsBelow(top: string, agents: readonly AgentResource[]): Map<string, number> {
  const named = new Map(agents.map((each) => [each.name, each]));
  const levels = new Map([[top, 0]]);
  for (const [name, level] of levels) {
    const agent = named.get(name);
    for (const next of agent === undefined ? [] : calledBy(agent)) {
      if (!levels.has(next)) levels.set(next, level + 1);
    }
  }
  return levels;
}
