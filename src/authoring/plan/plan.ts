import type { Prices } from '../../core/spending/prices.ts';
import { MAX_RUNS_PER_TREE } from '../../core/records/run.ts';
import { cycles, type AgentGraph } from './agent-graph.ts';
import { boundUse, partsOf, UNLIMITED, withinBudget, type Parts, type Within } from './budget.ts';
import { reach, type Reach } from './reach.ts';
import type { ComparedServices } from '../../core/reports/compared-services.ts';
import { expectedly, mostly, type Behaviour } from './behaviour.ts';
import { MAX_WAKES } from '../../core/lifecycle/due.ts';
import { dollarsOf, type Dollars } from './dollars.ts';
import { expectedWidth, limitsBroken, limitsInReach, widest } from './limits.ts';
import { modelCosts, unpricedModels, type ModelCost } from './model-costs.ts';
import { allFrom, onceForEach, reachableFrom, type ReachableConversation } from './reachable.ts';
import { remoteCosts } from './remote-costs.ts';
import { stateBytes } from './state-size.ts';
import {
  addUse,
  dearestOf,
  eventsOf,
  mapUse,
  useOf,
  useOfFork,
  useOfMessage,
  useOfQuestion,
  useOfWake,
  type Use,
} from './use.ts';
import { sandboxPrice } from '../../places/aws/sandbox/price.ts';
import { SANDBOX_SECONDS } from '../../places/aws/sandbox/protocol.ts';
import { sandboxesOf } from '../../places/aws/sandbox/sandboxes-of.ts';
import { loadOwnTools } from '../../tools/load-own-tools.ts';
import { TOOL_NAMES } from '../../core/agent-schema/tool-names.ts';

/** The use and cost of runs. */
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
  /** All that runs of the tree may ask, with that of the agent. */
  models: ModelCost[];
  cycles: string[][];
  maxDepth: number;
  /** Turns of the tree that are under way at once, if each run calls each of its sub-agents once, and at most. */
  turnsAtOnce: { expected: number; most: number };
  /** The cost of each question to a person; absent: no agent of the tree can ask. */
  question?: { use: Use; dollars: Dollars };
  /** Dollars for a minute of a command in a sandbox of an account, and for the longest; absent: no agent of the tree has any. */
  commands?: { minute: number; longest: number };
  /** What recorded runs of it come to, asked at once and in batches; absent: it has none whose models have batches. */
  batches?: ComparedServices;
  /** The agents that may be called in the background; absent: none. */
  background?: string[];
  /**
   * The cost of each fork or agent in the background that answers, and of each message that wakes one; absent: no agent of
   * the tree can have any.
   */
  residents?: { fork: Dollars; message: Dollars };
  /**
   * Of a run with all below it: one call of each sub-agent in the first turn, then an answer; and so all the way down.
   */
  expected: Amount;
  /** The same with all its leaves in Standard executions, and in Express ones; absent: its tree has none. */
  leaves?: { agents: string[]; standard: Amount; express: Amount };
  /** The most that a run may do, without those below it. */
  mostOfRun: Amount;
  /** As if every run of the tree did the most. */
  mostOfTree: Amount;
  /** The problems, and the setting to change for each. */
  problems: string[];
  /** The limits that could be reached, though they need not be. */
  warnings: string[];
}

/**
 * The use and cost of a run of an agent, before any run.
 * @param concurrency turns that may be under way at once
 */
export async function planAgent(
  agent: string,
  graph: AgentGraph,
  concurrency: number,
  prices: Prices,
): Promise<AgentPlan> {
  const known = graph.agents.get(agent);
  const top = reachableFrom(graph, agent, await loadOwnTools(TOOL_NAMES));
  const reached = reach(graph, top);
  const models = modelCosts(graph, agent, reached, prices);
  const conversations = allFrom(top);
  const isAllPaid = !conversations.some(({ isComputed }) => isComputed);
  const asked = models.map(({ model }) => model);
  const within = known === undefined ? UNLIMITED : withinBudget(known.budget, asked, isAllPaid, prices);
  const most = amountsOf(top, mostly, within);
  const hasResidents = conversations.some(({ isResident }) => isResident);
  const named = conversations.filter(({ isBeside, derivedBy }) => isBeside && derivedBy === undefined);
  const background = new Set(named.map((one) => one.agent));
  return {
    agent,
    model: known?.model ?? '',
    ...reached,
    models,
    cycles: cycles(graph, agent),
    maxDepth: known?.maxDepth ?? 0,
    turnsAtOnce: { expected: expectedWidth(top), most: widest(top).turns },
    ...(conversations.some(({ asks }) => asks) && {
      question: { use: useOfQuestion(), dollars: dollarsOf(useOfQuestion()) },
    }),
    ...commandsOf([agent, ...reached.within], graph),
    ...(background.size > 0 && { background: [...background].sort() }),
    ...(hasResidents && {
      residents: { fork: dollarsOf(useOfFork()), message: dollarsOf(useOfMessage()) },
    }),
    expected: amountsOf(top, expectedly, within, ({ express }) => express).tree,
    ...leavesOf(top, within),
    mostOfRun: most.run,
    mostOfTree: hasResidents ? withWakes(most.tree) : most.tree,
    problems: limitsBroken(graph, top, reached.within, concurrency),
    warnings: [
      ...limitsInReach(top, concurrency),
      ...unpricedModels(graph, agent, models),
      ...[agent, ...reached.within].flatMap((name) => remoteCosts(graph.agents.get(name))),
    ],
  };
}

function commandsOf(names: readonly string[], { agents }: AgentGraph): Pick<AgentPlan, 'commands'> {
  const isAny = sandboxesOf(names.flatMap((name) => agents.get(name) ?? [])).length > 0;
  const dollars = (seconds: number) => sandboxPrice(seconds) / 1e9;
  return isAny ? { commands: { minute: dollars(60), longest: dollars(SANDBOX_SECONDS) } } : {};
}

/** What leaves make of the expected cost, if there are any. */
function leavesOf(top: ReachableConversation, within: Within): Pick<AgentPlan, 'leaves'> {
  const callable = allFrom(top).flatMap((place) => place.callable);
  const agents = callable.flatMap(({ place, isLeaf }) => (isLeaf ? [place.agent] : []));
  if (agents.length === 0) return {};
  const expected = (isExpress: boolean) => amountsOf(top, expectedly, within, () => isExpress).tree;
  return {
    leaves: { agents: [...new Set(agents)].sort(), standard: expected(false), express: expected(true) },
  };
}

/** @param isExpress whether the leaves that a conversation calls run in Express executions */
function amountsOf(
  top: ReachableConversation,
  behaviour: Behaviour,
  within: Within,
  isExpress: (place: ReachableConversation) => boolean = () => false,
): { run: Amount; tree: Amount } {
  interface Amounts {
    run: Amount;
    tree: Amount;
    /** Of the run, were it a leaf in an Express execution. */
    asLeaf: Use;
    /** Of both. */
    parts: readonly [own: Parts, asLeaf: Parts];
  }
  const amounts = onceForEach((place: ReachableConversation): Amounts => {
    const called = place.callable.map((each) => ({
      ...amounts(each.place),
      place: each.place,
      isLeaf: each.isLeaf === true && isExpress(place),
    }));
    const below = called.map(({ tree }) => tree);
    const uses = called.map(({ tree: { use }, asLeaf, isLeaf }) => (isLeaf ? asLeaf : use));
    const calls = behaviour.calls(place, uses);
    const readOfDerived = called.map(({ place: { derivedBy }, run: { use } }, index) =>
      derivedBy === undefined || derivedBy === 'fork'
        ? 0
        : (calls[index] ?? 0) * (use.turns - 1 + use.toolCalls),
    );
    const conversation = {
      ...behaviour.conversation(place, total(calls)),
      readOfDerived: total(readOfDerived),
      leafCalls: total(called.map(({ isLeaf }, index) => (isLeaf ? (calls[index] ?? 0) : 0))),
    };
    const run = toAmount(
      useOf(conversation),
      eventsOf(conversation),
      stateBytes(behaviour.largestTurn(place), place.depth, place.needsApproval.derived),
    );
    const tree = toAmount(
      uses.reduce((use, each, index) => addUse(use, each, calls[index]), run.use),
      Math.max(run.events, ...below.map(({ events }) => events)),
      Math.max(run.stateBytes, ...below.map((amount) => amount.stateBytes)),
    );
    const leaf = { ...conversation, isLeaf: true };
    const asLeaf = useOf(leaf);
    return { run, tree, asLeaf, parts: [partsOf(conversation, run.use), partsOf(leaf, asLeaf)] };
  });
  const { run, tree, parts } = amounts(top);
  const all = allFrom(top).map(amounts);
  const most = withinTree(
    tree.use,
    run.use,
    all.flatMap((each) => [each.run.use, each.asLeaf]),
  );
  const bound = (use: Use, of: readonly Parts[], limits: Within) => {
    const bounded = boundUse(use, of, limits);
    return { use: bounded, dollars: dollarsOf(bounded) };
  };
  return {
    run: { ...run, ...bound(run.use, [parts[0]], { ...within, runs: 1 }) },
    tree: {
      ...tree,
      ...bound(
        most,
        all.flatMap((each) => each.parts),
        within,
      ),
    },
  };
}

function total(counts: readonly number[]): number {
  return counts.reduce((all, count) => all + count, 0);
}

/** However agents call each other, a tree has so many runs at most; each of them may be the dearest. */
function withinTree(tree: Use, top: Use, runs: readonly Use[]): Use {
  const most = addUse(top, dearestOf(runs), MAX_RUNS_PER_TREE);
  return mapUse((key) => Math.min(tree[key], most[key]));
}

/** Each time that agents wake one of them, until a person writes again. */
function withWakes(tree: Amount): Amount {
  const use = addUse(tree.use, useOfWake(), MAX_WAKES);
  return { ...tree, use, dollars: dollarsOf(use) };
}

function toAmount(use: Use, events: number, bytes: number): Amount {
  return { use, events, stateBytes: bytes, dollars: dollarsOf(use) };
}
