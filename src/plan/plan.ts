import { MAX_TURNS } from '../conversation/turn.ts';
import { COSTS, MAX_PLANNED_EVENTS, sum, times, type Cost } from '../machine/costs.ts';
import { DELEGATE } from '../steps/delegate.ts';
import { INVOKE_TOOL } from '../steps/invoke.ts';
import { MAX_CALLS_PER_TURN } from '../tools/registry.ts';
import { MAX_RUNS_PER_TREE } from '../runs/ledger.ts';
import { callable, cycles, reach, type AgentGraph, type Reach } from './agent-graph.ts';
import { dollarsOf, type Dollars } from './dollars.ts';
import { expectedWidth, limitsBroken, limitsInReach, widest } from './limits.ts';
import { stateBytes } from './state-size.ts';
import { addUse, eventsOf, mapUse, useOf, type Conversation, type Use } from './use.ts';

/** What runs come to. */
export interface Amount {
  use: Use;
  /** Of the longest history among them. */
  events: number;
  /** Of the largest state among them. */
  stateBytes: number;
  dollars: Dollars;
}

export interface AgentPlan extends Reach {
  agent: string;
  /** "" where the agent cannot be loaded. */
  model: string;
  cycles: string[][];
  maxDepth: number;
  /** Turns of the tree that are under way at once, if each run calls each of its sub-agents once, and at most. */
  turnsAtOnce: { expected: number; most: number };
  /** Of a run with all below it: one call of each sub-agent in the first turn, then an answer; and so all the way down. */
  expected: Amount;
  /** The most that a run may do, without those below it. */
  mostOfRun: Amount;
  /** As if every run of the tree did the most. */
  mostOfTree: Amount;
  /** What is broken, and which knob to turn. */
  problems: string[];
  /** What could come to be too much, though it need not. */
  warnings: string[];
}

/**
 * What a run of an agent comes to, before anybody runs it.
 * @param concurrency turns that may be under way at once
 */
export function planAgent(agent: string, graph: AgentGraph, concurrency: number): AgentPlan {
  const known = graph.agents.get(agent);
  const reached = reach(graph, agent);
  const most = amountsOf(graph, agent, mostly);
  return {
    agent,
    model: known?.model ?? '',
    ...reached,
    cycles: cycles(graph, agent),
    maxDepth: known?.maxDepth ?? 0,
    turnsAtOnce: { expected: expectedWidth(graph, agent), most: widest(graph, agent).turns },
    expected: amountsOf(graph, agent, expectedly).tree,
    mostOfRun: most.run,
    mostOfTree: most.tree,
    problems: limitsBroken(graph, agent, reached.within, concurrency),
    warnings: limitsInReach(graph, agent, concurrency),
  };
}

/** What a run can call. */
interface Callable {
  subAgents: readonly string[];
  hasTools: boolean;
}

/** What a run does with what it can call. */
interface Behaviour {
  conversation(can: Callable, isTop: boolean): Conversation;
  /** The sub-agents that its largest turn calls. */
  largestTurn(subAgents: readonly string[]): string[];
  /** How often it calls each of its sub-agents, of which these are the uses. */
  shares(uses: readonly Use[], calls: number): number[];
}

/** How often an agent with tools is taken to use one of them: once a turn. */
export const EXPECTED_TOOL_CALLS = 10;

const expectedly: Behaviour = {
  conversation: ({ subAgents, hasTools }, isTop) => {
    const toolCalls = hasTools ? EXPECTED_TOOL_CALLS : 0;
    return {
      turns: 1 + toolCalls + (subAgents.length > 0 ? 1 : 0),
      calls: subAgents.length,
      failed: 0,
      toolCalls,
      isTop,
      hasLargeTexts: false,
    };
  },
  largestTurn: (subAgents) => [...subAgents],
  shares: (uses) => uses.map(() => 1),
};

/**
 * An agent that is offered no tool answers at once. One with sub-agents calls the dearest of them as often as the
 * history of its execution has room for, and all of them fail; one without makes calls of tools instead.
 */
const mostly: Behaviour = {
  conversation: ({ subAgents, hasTools }, isTop) => {
    const calls = subAgents.length > 0 ? mostCalls(DELEGATE.costs.failed) : 0;
    const toolCalls = hasTools && calls === 0 ? mostCalls(INVOKE_TOOL.costs.answered) : 0;
    const turns = calls + toolCalls > 0 ? MAX_TURNS : 1;
    return { turns, calls, failed: calls, toolCalls, isTop, hasLargeTexts: true };
  },
  largestTurn: (subAgents) => {
    const [longest] = [...subAgents].sort((one, other) => other.length - one.length);
    return longest === undefined ? [] : Array.from({ length: MAX_CALLS_PER_TURN }, () => longest);
  },
  shares: (uses, calls) => {
    const dollars = uses.map((use) => dollarsOf(use).total);
    const dearest = dollars.indexOf(Math.max(...dollars));
    return uses.map((_, index) => (index === dearest ? calls : 0));
  },
};

/** How many calls the history of an execution has room for, each with these events. */
function mostCalls({ events }: Cost): number {
  const turns = sum(COSTS.opening, times(MAX_TURNS - 1, sum(COSTS.acting, COSTS.wave)), COSTS.answering);
  return Math.floor((MAX_PLANNED_EVENTS - turns.events) / events);
}

function amountsOf(graph: AgentGraph, top: string, behaviour: Behaviour): { run: Amount; tree: Amount } {
  const maxDepth = graph.agents.get(top)?.maxDepth ?? 0;
  const known = new Map<string, { run: Amount; tree: Amount }>();
  const amounts = (name: string, depth: number) => {
    const key = `${depth} ${name}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const subAgents = callable(graph, name, depth, maxDepth);
    const agent = graph.agents.get(name);
    const hasTools = [agent?.tools, agent?.functions, agent?.mcpServers].some(
      (each) => (each?.length ?? 0) > 0,
    );
    const conversation = behaviour.conversation({ subAgents, hasTools }, depth === 0);
    const run = toAmount(
      useOf(conversation),
      eventsOf(conversation),
      stateBytes(behaviour.largestTurn(subAgents), depth),
    );
    const below = subAgents.map((subAgent): Amount => amounts(subAgent, depth + 1).tree);
    const shares = behaviour.shares(
      below.map(({ use }) => use),
      conversation.calls,
    );
    const tree = toAmount(
      below.reduce((use, amount, index) => addUse(use, amount.use, shares[index] ?? 0), run.use),
      Math.max(run.events, ...below.map(({ events }) => events)),
      Math.max(run.stateBytes, ...below.map((amount) => amount.stateBytes)),
    );
    known.set(key, { run, tree });
    return { run, tree };
  };
  const { run, tree } = amounts(top, 0);
  const below = [...known.values()].map((amount) => amount.run.use);
  return { run, tree: { ...tree, ...withinTree(tree.use, run.use, below) } };
}

/** However agents call each other, a tree has so many runs at most; each of them may be the dearest. */
function withinTree(tree: Use, top: Use, runs: readonly Use[]): { use: Use; dollars: Dollars } {
  const dearest = runs.reduce((one, other) => mapUse((key) => Math.max(one[key], other[key])));
  const most = addUse(top, dearest, MAX_RUNS_PER_TREE);
  const use = mapUse((key) => Math.min(tree[key], most[key]));
  return { use, dollars: dollarsOf(use) };
}

function toAmount(use: Use, events: number, bytes: number): Amount {
  return { use, events, stateBytes: bytes, dollars: dollarsOf(use) };
}
