import { derive } from '../../core/lifecycle/derive.ts';
import { isLeaf } from '../../core/lifecycle/leaves.ts';
import type { ToolCall } from '../../core/records/message.ts';
import { callsAtOnce, mayStartBeside, type Derivation } from '../../core/records/plan.ts';
import { MAX_RUNS_PER_TREE } from '../../core/records/run.ts';
import type { Opened } from '../../core/records/opened.ts';
import { MAX_SUBTASKS } from '../../tools/delegation/delegate-task.ts';
import { offerOf } from '../../core/tool-contracts/offer.ts';
import { asReading, mayNeedApproval } from '../../core/tool-contracts/permissions.ts';
import type { OwnTools } from '../../core/tool-contracts/own-tools.ts';
import { toolNamed } from '../../core/tool-contracts/toolbox.ts';
import type { AgentGraph } from './agent-graph.ts';

/** A conversation that a run can lead to, as far as a plan tells conversations apart. */
export interface ReachableConversation {
  agent: string;
  /** 0 at the top. */
  depth: number;
  /** The tool that derives it from its caller; absent: it is opened from its agent's file. */
  derivedBy?: string;
  /** Whether its answers are computed: then it calls its only sub-agent once for each subtask. */
  isComputed: boolean;
  /** Whether it is offered tools that a function carries out. */
  hasTools: boolean;
  /** Whether it may ask people. */
  asks: boolean;
  /** Whether it goes on beside its caller. */
  isBeside: boolean;
  /** Whether others may still want something of it once it has answered: it works beside another, or may have others so. */
  isResident: boolean;
  /** Whether its answer has a schema, so that its model may have to correct it. */
  isStructured: boolean;
  /** Whether it is offered any tool at all. */
  isOfferedAny: boolean;
  /** Whether a person may have to approve its calls of tools that a function carries out, or that derive sub-agents. */
  needsApproval: { tools: boolean; derived: boolean };
  /** Whether its file has leaves run in Express executions. */
  express: boolean;
  /** How many calls it may make in all. */
  mostCalls: number;
  /** The sub-agents that it can call, each once. */
  callable: Callable[];
}

export interface Callable {
  place: ReachableConversation;
  /** How many of them may be under way at once. */
  atOnce: number;
  /** Whether its caller goes on beside it. */
  isFork?: true;
  /** Whether it may run in an Express execution. */
  isLeaf?: boolean;
}

/**
 * The largest call of any tool that derives sub-agents, with the arguments of all of them. It is planned as a model's
 * calls are, so that a new way to delegate needs nothing here.
 */
const DERIVING = {
  prompt: 'x',
  task: 'x',
  plan: 'x',
  subtasks: Array.from({ length: MAX_SUBTASKS }, () => ({ task: 'x' })),
  max_tool_calls: Number.MAX_SAFE_INTEGER,
};
const SUBTASK = { task: 'x' };

/** The parts of a conversation that make no difference to its possible calls. */
const NOTHING_SAID = { root: '', system: '', message: '', maxTokens: 0, timeout: 0 } as const;
const NOWHERE = {
  path: '',
  task: '',
  message: '',
  input: '',
  workdir: '',
  timeout: 0,
  overrides: {},
} as const;

/**
 * The conversation at the top of an agent's tree, and so all that it can lead to: places that are alike are one.
 * @param loaded all tools that there are
 * @returns the top; an agent that cannot be loaded makes no calls
 */
export function reachableFrom(graph: AgentGraph, top: string, loaded: OwnTools): ReachableConversation {
  const maxDepth = graph.agents.get(top)?.maxDepth ?? 0;
  const known = new Map<string, ReachableConversation>();

  function named(
    name: string,
    depth: number,
    mode?: Derivation['mode'],
    isBeside = false,
  ): ReachableConversation {
    const agent = graph.agents.get(name);
    const about = { agent: name, depth, isComputed: false, isBeside };
    if (agent === undefined) {
      return {
        ...about,
        hasTools: false,
        asks: false,
        isResident: false,
        isStructured: false,
        isOfferedAny: false,
        needsApproval: { tools: false, derived: false },
        express: false,
        mostCalls: Infinity,
        callable: [],
      };
    }
    const key = `${depth} ${mode} ${isBeside} ${name}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const offer = offerOf(agent, { model: agent.model, depth, maxDepth, mode }, loaded);
    return conversationOf(key, about, { ...NOTHING_SAID, ...offer, agent: name, model: agent.model });
  }

  function derived(by: string, from: Opened, differences: Derivation): ReachableConversation {
    const { agent, delegation } = from;
    const { isComputed = false } = differences;
    const depth = delegation.depth + (isComputed ? 0 : 1);
    const opened = derive({ by, from, differences }, { ...NOWHERE, agent, depth }, loaded);
    const { caps, rules, tools } = opened;
    const key = JSON.stringify([by, agent, opened.delegation, caps, rules, tools.map(({ name }) => name)]);
    return (
      known.get(key) ??
      conversationOf(key, { agent, depth, derivedBy: by, isComputed, isBeside: false }, opened)
    );
  }

  /** A copy of the conversation as it is, which may be forked less often. */
  function forked(from: Opened): ReachableConversation {
    const { agent, delegation, forks = 0 } = from;
    const opened = { ...from, forks: forks + 1 };
    const key = JSON.stringify(['fork', agent, delegation, opened.forks, from.caps, from.rules]);
    const about = { agent, depth: delegation.depth, derivedBy: 'fork', isComputed: false, isBeside: true };
    return known.get(key) ?? conversationOf(key, about, opened);
  }

  function conversationOf(
    key: string,
    about: Pick<ReachableConversation, 'agent' | 'depth' | 'derivedBy' | 'isBeside' | 'isComputed'>,
    opened: Opened,
  ): ReachableConversation {
    const { caps, delegation, rules, tools } = opened;
    const agent = graph.agents.get(about.agent);
    const carriedOut = tools.flatMap(({ name }) => toolNamed(name, opened, loaded) ?? []);
    const hasServers = (agent?.mcpServers.length ?? 0) > 0;
    // The tools of servers are known when a run is opened.
    const asksAboutServers = hasServers && (rules?.mode === 'ask' || agent?.permissions.ask.length !== 0);
    const place: ReachableConversation = {
      ...about,
      hasTools: hasServers || carriedOut.length > 0,
      asks: tools.some(({ name }) => name === 'ask_user'),
      isResident: about.isBeside || mayStartBeside(delegation),
      // Of all copies, only forks have the schema of their agent.
      isStructured:
        agent?.output !== undefined && (about.derivedBy === undefined || about.derivedBy === 'fork'),
      isOfferedAny: hasServers || tools.length > 0,
      needsApproval: {
        tools: asksAboutServers || carriedOut.some((tool) => mayNeedApproval(tool, rules)),
        derived:
          !about.isComputed &&
          delegation.ways?.some((name) => mayNeedApproval(asReading(name), rules)) === true,
      },
      express: about.derivedBy === undefined && agent?.express === true,
      mostCalls: about.isComputed ? MAX_SUBTASKS : caps?.toolCalls || Infinity,
      callable: [],
    };
    known.set(key, place);
    const calls = about.isComputed
      ? [{ name: 'spawn_agent', arguments: SUBTASK }]
      : tools.map(({ name }) => ({ name, arguments: DERIVING }));
    for (const call of calls) place.callable.push(...callableBy(call, opened));
    return place;
  }

  /** The sub-agents that calls of a tool lead to. */
  function callableBy(call: Omit<ToolCall, 'id'>, opened: Opened): Callable[] {
    const { delegation, rules } = opened;
    const ofRun = callsAtOnce(delegation);
    if (call.name === 'call_agent') {
      const found: Callable[] = [];
      const caller = graph.agents.get(opened.agent);
      const isBeside = delegation.background !== undefined;
      for (const name of new Set(delegation.subAgents)) {
        const called = graph.agents.get(name);
        found.push({
          // One that may go on beside its caller is taken to do so.
          place: named(name, delegation.depth + 1, rules?.mode, isBeside),
          atOnce: isBeside ? MAX_RUNS_PER_TREE : ofRun,
          isLeaf: !isBeside && caller !== undefined && called !== undefined && isLeaf(called, caller),
        });
      }
      return found;
    }
    const plan = loaded.planned(call.name)?.plan({ id: '', ...call }, opened);
    if (plan?.kind === 'start') return [{ place: forked(opened), atOnce: MAX_RUNS_PER_TREE, isFork: true }];
    if (plan?.kind !== 'delegate' || plan.derived === undefined) return [];
    const { atOnce = Infinity } = plan.derived;
    return [{ place: derived(call.name, opened, plan.derived), atOnce: Math.min(atOnce, ofRun) }];
  }

  return named(top, 0);
}

/** A place and all below it, each once. */
export function allFrom(top: ReachableConversation): ReachableConversation[] {
  const all = new Set([top]);
  for (const { callable } of all) for (const { place } of callable) all.add(place);
  return [...all];
}

/** Computes a value once for each place. */
export function onceForEach<T>(of: (place: ReachableConversation) => T): (place: ReachableConversation) => T {
  const known = new Map<ReachableConversation, T>();
  return (place) => {
    const value = known.get(place) ?? of(place);
    known.set(place, value);
    return value;
  };
}
