import { derive } from '../conversation/derive.ts';
import { callsAtOnce, type Derivation } from '../runs/plan.ts';
import type { Opened } from '../runs/run.ts';
import { MAX_SUBTASKS } from '../tools/delegation/delegate-task.ts';
import { offerOf } from '../tools/offer.ts';
import { PLANNED_TOOLS } from '../tools/registry.ts';
import type { AgentGraph } from './agent-graph.ts';

/** A conversation that a run can come to, as far as a plan tells conversations apart. */
export interface Place {
  agent: string;
  /** 0 at the top. */
  depth: number;
  /** The tool that derives it from its caller; absent: it is opened from its agent's file. */
  derivedBy?: string;
  /** Whether its answers are computed: then it calls its only sub-agent once for each subtask. */
  isComputed: boolean;
  /** Whether it is offered tools that a function carries out. */
  hasTools: boolean;
  /** Whether it is offered any tool at all. */
  isOfferedAny: boolean;
  /** How many calls it may make in all. */
  mostCalls: number;
  /** The sub-agents that it can call, each once. */
  callable: Callable[];
}

export interface Callable {
  place: Place;
  /** How many of them may be under way at once. */
  atOnce: number;
}

/**
 * What a way to derive a sub-agent is asked for, whichever it is: as much as a call can ask for. Calls are planned as
 * those of a model are, so that a plan knows every way.
 */
const DERIVING = {
  prompt: 'x',
  task: 'x',
  plan: 'x',
  subtasks: Array.from({ length: MAX_SUBTASKS }, () => ({ task: 'x' })),
  max_tool_calls: Number.MAX_SAFE_INTEGER,
};
const SUBTASK = { task: 'x' };

/** What makes no difference to what a conversation can come to. */
const NOTHING_SAID = { root: '', system: '', message: '', temperature: 0, maxTokens: 0, timeout: 0 };
const NOWHERE = { path: '', task: '', message: '', input: '', workdir: '', timeout: 0, overrides: {} };

/**
 * The conversation at the top of an agent's tree, and so all that it can come to: places that are alike are one.
 * @returns the top; an agent that cannot be loaded calls nobody
 */
export function placesOf(graph: AgentGraph, top: string): Place {
  const maxDepth = graph.agents.get(top)?.maxDepth ?? 0;
  const known = new Map<string, Place>();

  const named = (name: string, depth: number, mode?: Derivation['mode']): Place => {
    const agent = graph.agents.get(name);
    const about = { agent: name, depth, isComputed: false };
    if (agent === undefined) {
      return { ...about, hasTools: false, isOfferedAny: false, mostCalls: Infinity, callable: [] };
    }
    return once(`${depth} ${mode} ${name}`, () =>
      placeOf(about, {
        ...offerOf(agent, { model: agent.model, depth, maxDepth, mode }),
        ...NOTHING_SAID,
        agent: name,
        model: agent.model,
      }),
    );
  };

  const derived = (by: string, caller: Place, from: Opened, differences: Derivation): Place => {
    const { isComputed = false } = differences;
    const depth = caller.depth + (isComputed ? 0 : 1);
    const opened = derive({ by, from, differences }, { ...NOWHERE, agent: caller.agent, depth });
    const { delegation, caps, rules, tools } = opened;
    const key = JSON.stringify([by, caller.agent, delegation, caps, rules, tools.map(({ name }) => name)]);
    return once(key, () => placeOf({ agent: caller.agent, depth, derivedBy: by, isComputed }, opened));
  };

  const once = (key: string, make: () => Place): Place => {
    const place = known.get(key) ?? make();
    known.set(key, place);
    return place;
  };

  const placeOf = (
    about: Pick<Place, 'agent' | 'depth' | 'derivedBy' | 'isComputed'>,
    opened: Opened,
  ): Place => {
    const { delegation, rules, caps, tools } = opened;
    const hasServers = (graph.agents.get(about.agent)?.mcpServers.length ?? 0) > 0;
    const place: Place = {
      ...about,
      hasTools: hasServers || tools.some(({ name }) => !PLANNED_TOOLS.has(name)),
      isOfferedAny: hasServers || tools.length > 0,
      mostCalls: about.isComputed ? MAX_SUBTASKS : caps?.toolCalls || Infinity,
      callable: [],
    };
    const calls = about.isComputed
      ? [{ name: 'spawn_agent', arguments: SUBTASK }]
      : tools.map(({ name }) => ({ name, arguments: DERIVING }));
    const ofRun = callsAtOnce(delegation);
    for (const call of calls) {
      if (call.name === 'call_agent') {
        const agents = [...new Set(delegation.subAgents)];
        const places = agents.map((name) => named(name, about.depth + 1, rules?.mode));
        place.callable.push(...places.map((each) => ({ place: each, atOnce: ofRun })));
        continue;
      }
      const plan = PLANNED_TOOLS.get(call.name)?.plan({ id: '', ...call }, opened);
      if (plan?.kind !== 'delegate' || plan.derived === undefined) continue;
      const { atOnce = Infinity } = plan.derived;
      place.callable.push({
        place: derived(call.name, place, opened, plan.derived),
        atOnce: Math.min(atOnce, ofRun),
      });
    }
    return place;
  };

  return named(top, 0);
}

/** A place and all below it, each once. */
export function allFrom(top: Place): Place[] {
  const all = new Set([top]);
  for (const { callable } of all) for (const { place } of callable) all.add(place);
  return [...all];
}

/** Wherever a plan goes through places, it goes through each once. */
export function onceForEach<T>(of: (place: Place) => T): (place: Place) => T {
  const known = new Map<Place, T>();
  return (place) => {
    const value = known.get(place) ?? of(place);
    known.set(place, value);
    return value;
  };
}
