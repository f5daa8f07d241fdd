import { PARALLEL_CALLS } from '../../core/records/plan.ts';
import { MAX_CALLS_PER_TURN } from '../../core/tool-contracts/plan-calls.ts';
import { MAX_RUNS_PER_TREE } from '../../core/records/run.ts';
import type { AgentGraph } from './agent-graph.ts';
import { expectedly } from './behaviour.ts';
import { allFrom, onceForEach, type ReachableConversation } from './reachable.ts';

/**
 * Functions that an account may run at once in a Region, unless more was asked for; new accounts have less (Lambda,
 * "quotas").
 */
export const USUAL_CONCURRENCY = 1_000;

/** A state's input and output, hard (Step Functions, "quotas"). */
export const MAX_STATE_BYTES = 262_144;

/** Turns of a tree that may be under way at once, and the agents that make them so many, from the top down. */
export interface Width {
  turns: number;
  agents: string[];
}

/**
 * Turns under way at once as they are to be expected: see `expectedly`. A parent waits without a function, so only the
 * turns of the lowest level are under way while all is.
 */
export function expectedWidth(top: ReachableConversation): number {
  const below = onceForEach((place: ReachableConversation): number => {
    // Sub-agents with the same limit on how many may be under way at once are under way together.
    const together = new Map<number, number[]>();
    const calls = expectedly.calls(place, []);
    for (const [index, { place: next, atOnce }] of place.callable.entries()) {
      const widths = Array.from({ length: calls[index] ?? 0 }, () => below(next));
      together.set(atOnce, [...(together.get(atOnce) ?? []), ...widths]);
    }
    const sums = [...together].map(([atOnce, widths]) =>
      widths
        .sort((one, other) => other - one)
        .slice(0, atOnce)
        .reduce((sum, width) => sum + width, 0),
    );
    return Math.max(1, ...sums);
  });
  return below(top);
}

/** The same where each makes as many calls of the widest as it can. */
export function widest(top: ReachableConversation): Width {
  const below = onceForEach((place: ReachableConversation): Width => {
    const widths = place.callable.map(({ place: next, atOnce }): Width => {
      const width = below(next);
      const calls = Math.min(atOnce, place.mostCalls);
      return {
        // A tree has no more runs than that, however it branches.
        turns: Math.min(MAX_RUNS_PER_TREE, width.turns * calls),
        agents: calls > 1 ? [...new Set([place.agent, ...width.agents])] : width.agents,
      };
    });
    const [most] = widths.sort((one, other) => other.turns - one.turns);
    return most ?? { turns: 1, agents: [] };
  });
  return below(top);
}

/**
 * The faults of the agent at the top or of one below it, the limits that its run breaks, and the settings to change.
 * The size of the state and the events of a history are left out: a turn refuses calls that it has no room for.
 */
export function limitsBroken(
  graph: AgentGraph,
  place: ReachableConversation,
  within: readonly string[],
  concurrency: number,
): string[] {
  const top = place.agent;
  return [
    ...[top, ...within].flatMap((name) => graph.faults.get(name) ?? []),
    ...[top, ...within].flatMap((name) => tooManySubAgents(graph, name)),
    ...expectedlyTooWide(place, concurrency),
  ];
}

function tooManySubAgents(graph: AgentGraph, name: string): string[] {
  const count = new Set(graph.agents.get(name)?.subAgents).size;
  if (count <= MAX_CALLS_PER_TURN) return [];
  return [
    `"${name}" has ${count} sub-agents, but one answer can make only ${MAX_CALLS_PER_TURN} calls: shorten sub_agents, or put some of them below others`,
  ];
}

function expectedlyTooWide(top: ReachableConversation, concurrency: number): string[] {
  const turns = expectedWidth(top);
  if (turns <= concurrency) return [];
  return [
    `"${top.agent}" has ${turns} turns at the same time if each run calls each of its sub-agents once, but only ${concurrency} functions may run at the same time: ${knobs(top, concurrency)}`,
  ];
}

/**
 * The limits that a run of `top` could reach but need not: how often a model calls is its own choice. Lambda refuses
 * calls beyond its limit, and the machine tries again, so that the run takes longer.
 */
export function limitsInReach(top: ReachableConversation, concurrency: number): string[] {
  const { turns, agents } = widest(top);
  if (turns <= concurrency || expectedWidth(top) > concurrency) return [];
  const named = agents.map((name) => `"${name}"`).join(' and ');
  return [
    `"${top.agent}" could have ${turns} turns at the same time if each run of ${named} ${mostBegun(top)}, but only ${concurrency} functions may run at the same time; the others would wait and be retried. To rule this out, ${knobs(top, concurrency)}`,
  ];
}

function mostBegun(top: ReachableConversation): string {
  if (hasForks(top)) return 'made as many forks as a tree can have';
  return callersBeside(top).length > 0
    ? 'started as many agents in the background as a tree can have'
    : `made ${PARALLEL_CALLS} calls`;
}

function hasForks(top: ReachableConversation): boolean {
  return allFrom(top).some(({ callable }) => callable.some(({ isFork }) => isFork));
}

/** Those whose calls may have others go on in the background. */
function callersBeside(top: ReachableConversation): string[] {
  const isCaller = ({ callable }: ReachableConversation) =>
    callable.some(({ place, isFork }) => place.isBeside && !isFork);
  return [
    ...new Set(
      allFrom(top)
        .filter(isCaller)
        .map(({ agent }) => agent),
    ),
  ].sort();
}

function knobs(top: ReachableConversation, concurrency: number): string {
  const depth = Math.floor(Math.log(concurrency) / Math.log(PARALLEL_CALLS));
  return [
    ...(hasForks(top) ? ['take "fork" out of tools'] : []),
    ...callersBeside(top).map((name) => `take background out of sub_agents_config in "${name}"`),
    `set sub_agents_config.parallel = false in "${widest(top).agents.at(-1)}"`,
    ...(depth > 0 ? [`max_depth = ${depth} in "${top.agent}"`] : []),
    "raise the account's quota and pass --concurrency",
  ].join(', or ');
}
