import definition from '../../infra/conversation.asl.json' with { type: 'json' };
import { PARALLEL_CALLS } from '../conversation/open.ts';
import { MAX_CALLS_PER_TURN } from '../tools/registry.ts';
import { callable, type AgentGraph } from './agent-graph.ts';

/** Functions that an account may run at once in a Region, unless more was asked for; new accounts have less (Lambda, "quotas"). */
export const USUAL_CONCURRENCY = 1_000;

/** A state's input and output, hard (Step Functions, "quotas"). */
export const MAX_STATE_BYTES = 262_144;

/** Turns of a tree that may be under way at once, and the agents that make them so many, from the top down. */
export interface Width {
  turns: number;
  agents: string[];
}

/** A parent waits without a function, so only the turns of the lowest level are under way while all is. */
export function widest(graph: AgentGraph, top: string): Width {
  const maxDepth = graph.agents.get(top)?.maxDepth ?? 0;
  const known = new Map<string, Width>();
  const below = (name: string, depth: number): Width => {
    const key = `${depth} ${name}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const widths = callable(graph, name, depth, maxDepth).map((next) => below(next, depth + 1));
    const [most] = widths.sort((one, other) => other.turns - one.turns);
    const isParallel = graph.agents.get(name)?.parallel ?? false;
    const width =
      most === undefined
        ? { turns: 1, agents: [] }
        : {
            turns: most.turns * (isParallel ? PARALLEL_CALLS : 1),
            agents: isParallel ? [name, ...most.agents] : most.agents,
          };
    known.set(key, width);
    return width;
  };
  return below(top, 0);
}

/**
 * What a run of `top` could break, and which knob to turn. What holds whatever an agent's file says is not here: the
 * size of the state, and the events of a history, which 2,000 calls do not fill.
 * @param within the agents that it can come to
 * @param concurrency turns that may be under way at once
 */
export function limitsBroken(
  graph: AgentGraph,
  top: string,
  within: readonly string[],
  concurrency: number,
): string[] {
  return [
    ...[top, ...within].flatMap((name) => graph.faults.get(name) ?? []),
    ...[top, ...within].flatMap((name) => tooManySubAgents(graph, name)),
    ...tooLong(graph, top),
    ...tooWide(graph, top, concurrency),
  ];
}

function tooManySubAgents(graph: AgentGraph, name: string): string[] {
  const count = new Set(graph.agents.get(name)?.subAgents).size;
  if (count <= MAX_CALLS_PER_TURN) return [];
  return [
    `"${name}" has ${count} sub-agents, and one answer can call ${MAX_CALLS_PER_TURN}: shorten sub_agents, or put some of them below others`,
  ];
}

function tooLong(graph: AgentGraph, top: string): string[] {
  const timeout = graph.agents.get(top)?.timeout ?? 0;
  if (timeout <= definition.TimeoutSeconds) return [];
  return [
    `"${top}" may run for ${timeout}s, and the machine ends an execution after ${definition.TimeoutSeconds}s without a word: lower timeout`,
  ];
}

function tooWide(graph: AgentGraph, top: string, concurrency: number): string[] {
  const { turns, agents } = widest(graph, top);
  if (turns <= concurrency) return [];
  const depth = Math.floor(Math.log(concurrency) / Math.log(PARALLEL_CALLS));
  const knobs = [
    `set sub_agents_config.parallel = false in "${agents.at(-1)}"`,
    ...(depth > 0 ? [`max_depth = ${depth} in "${top}"`] : []),
    "raise the account's quota and say --concurrency",
  ];
  return [
    `"${top}" may have ${turns} turns under way at once, ${PARALLEL_CALLS} for each run of ${agents.map((name) => `"${name}"`).join(' and ')}, and ${concurrency} functions may run at once: ${knobs.join(', or ')}`,
  ];
}
