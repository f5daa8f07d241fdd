import { CONVERSATION } from '../machine/conversation.ts';
import { PARALLEL_CALLS } from '../runs/plan.ts';
import { MAX_CALLS_PER_TURN } from '../tools/registry.ts';
import { MAX_RUNS_PER_TREE } from '../runs/ledger.ts';
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

/**
 * Turns under way at once where each run calls each of its sub-agents once. A parent waits without a function, so only
 * the turns of the lowest level are under way while all is.
 */
export function expectedWidth(graph: AgentGraph, top: string): number {
  const maxDepth = graph.agents.get(top)?.maxDepth ?? 0;
  const known = new Map<string, number>();
  const below = (name: string, depth: number): number => {
    const key = `${depth} ${name}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const atOnce = graph.agents.get(name)?.parallel === true ? PARALLEL_CALLS : 1;
    const widths = callable(graph, name, depth, maxDepth).map((next) => below(next, depth + 1));
    const widest = widths.sort((one, other) => other - one).slice(0, atOnce);
    const width = widest.length === 0 ? 1 : widest.reduce((sum, each) => sum + each, 0);
    known.set(key, width);
    return width;
  };
  return below(top, 0);
}

/** The same where each makes as many calls of the widest as it can. */
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
            // A tree has no more runs than that, however it branches.
            turns: Math.min(MAX_RUNS_PER_TREE, most.turns * (isParallel ? PARALLEL_CALLS : 1)),
            agents: isParallel ? [name, ...most.agents] : most.agents,
          };
    known.set(key, width);
    return width;
  };
  return below(top, 0);
}

/**
 * What is broken in `top` and what its run breaks, and which knob to turn. What holds whatever an agent's file says is not here: the
 * size of the state, and the events of a history: a turn refuses calls that it has no room for.
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
    ...expectedlyTooWide(graph, top, concurrency),
  ];
}

function tooManySubAgents(graph: AgentGraph, name: string): string[] {
  const count = new Set(graph.agents.get(name)?.subAgents).size;
  if (count <= MAX_CALLS_PER_TURN) return [];
  return [
    `"${name}" has ${count} sub-agents, but one answer can make only ${MAX_CALLS_PER_TURN} calls: shorten sub_agents, or put some of them below others`,
  ];
}

function tooLong(graph: AgentGraph, top: string): string[] {
  const timeout = graph.agents.get(top)?.timeout ?? 0;
  if (timeout <= CONVERSATION.TimeoutSeconds) return [];
  return [
    `"${top}" may run for ${timeout}s, but the machine ends an execution after ${CONVERSATION.TimeoutSeconds}s: lower timeout`,
  ];
}

function expectedlyTooWide(graph: AgentGraph, top: string, concurrency: number): string[] {
  const turns = expectedWidth(graph, top);
  if (turns <= concurrency) return [];
  return [
    `"${top}" has ${turns} turns at the same time if each run calls each of its sub-agents once, but only ${concurrency} functions may run at the same time: ${knobs(graph, top, concurrency)}`,
  ];
}

/**
 * What a run of `top` could come to but need not: how often a model calls is its own choice. Lambda refuses what is too
 * much, and the machine tries again, so that the run takes longer.
 */
export function limitsInReach(graph: AgentGraph, top: string, concurrency: number): string[] {
  const { turns, agents } = widest(graph, top);
  if (turns <= concurrency || expectedWidth(graph, top) > concurrency) return [];
  const named = agents.map((name) => `"${name}"`).join(' and ');
  return [
    `"${top}" could have ${turns} turns at the same time if each run of ${named} made ${PARALLEL_CALLS} calls, but only ${concurrency} functions may run at the same time; the others would wait and be retried. To rule this out, ${knobs(graph, top, concurrency)}`,
  ];
}

function knobs(graph: AgentGraph, top: string, concurrency: number): string {
  const depth = Math.floor(Math.log(concurrency) / Math.log(PARALLEL_CALLS));
  return [
    `set sub_agents_config.parallel = false in "${widest(graph, top).agents.at(-1)}"`,
    ...(depth > 0 ? [`max_depth = ${depth} in "${top}"`] : []),
    "raise the account's quota and pass --concurrency",
  ].join(', or ');
}
