import { seconds } from '../records/times.ts';
import type { Agent } from '../agent-schema/agent.ts';
import { offeredFunctions } from '../agent-schema/own-functions.ts';
import { FORK, isOfGit, isSpawning, ownTools, PLANNED_NAMES } from '../agent-schema/tool-names.ts';
import type { Sandbox, ToolRules } from '../records/call.ts';
import type { ToolDefinition } from '../records/message.ts';
import type { DelegationLimits, Derivation, Spawning } from '../records/plan.ts';
import type { Opened } from '../records/opened.ts';
import type { OwnTools } from './own-tools.ts';
import { asReading, isOffered } from './permissions.ts';
import type { Offering } from './planned-tool.ts';
import { toolNamed, type Offer } from './toolbox.ts';
import { defined } from '../../defined.ts';

// The tools that a conversation is offered when it is opened: from its agent's file, or derived from another
// conversation.

/** The offer of servers to an agent. */
export type ServerOffer = Required<Pick<Offer, 'servers' | 'targets' | 'tools'>>;

const NO_SERVERS: ServerOffer = { tools: [], targets: {}, servers: {} };

/** Where in its tree a conversation is opened. */
export interface TreeLevel {
  model: string;
  depth: number;
  /** The root's, which holds for the whole tree; undefined at the top. */
  maxDepth?: number | undefined;
  /** The mode of its caller, which it never exceeds; undefined at the top. */
  mode?: ToolRules['mode'] | undefined;
  /** The sandbox of its caller, out of which it never reaches; undefined at the top, and where its caller has none. */
  sandbox?: Sandbox | undefined;
  /** Whether its workdir is a repository of git; absent: it is not, or that is not known. */
  isRepository?: boolean;
}

/**
 * The offer of an agent's file; tools in alphabetical order, in which they are sent.
 * @param tools with all that its file names
 */
export function offerOf(
  agent: Agent,
  level: TreeLevel,
  tools: OwnTools,
  ofServers = NO_SERVERS,
): Offer & Pick<Opened, 'caps'> {
  const named = ownTools(agent);
  const functions = offeredFunctions(agent);
  const own = named
    .filter((name) => level.isRepository === true || !isOfGit(name))
    .flatMap((name) => tools.carriedOut(name) ?? []);
  const others = {
    tools: [
      ...functions.map(({ name, description, parameters }) => ({ name, description, parameters })),
      ...ofServers.tools,
    ],
    targets: {
      ...Object.fromEntries(functions.map(({ name, target }) => [name, target])),
      ...ofServers.targets,
    },
    servers: ofServers.servers,
  };
  const ofOthers = others.tools.flatMap(({ name }) => toolNamed(name, others, tools) ?? []);
  const all = [...own, ...ofOthers];
  const mode = narrower(agent.mode, level.mode);
  const sandbox = sandboxOf(agent, level.sandbox);
  const rules: ToolRules = {
    mode,
    ...agent.permissions,
    allowedHosts: agent.allowedHosts,
    ...defined({ sandbox }),
  };
  const ways = named.filter((name) => agent.subAgent.enabled || !isSpawning(name));
  const delegation = withWays(
    {
      subAgents: agent.subAgents,
      ...(agent.remoteAgents.length > 0 && { remotes: agent.remoteAgents.map(({ name }) => name) }),
      depth: level.depth,
      maxDepth: level.maxDepth ?? agent.maxDepth,
      parallel: agent.parallel,
      timeout: seconds(agent.subAgentTimeout),
      ...(agent.background !== false && agent.subAgents.length > 0 && { background: agent.background }),
      ...(agent.models.length > 0 && { models: agent.models }),
      spawning: spawningOf(agent.subAgent),
    },
    ways,
    rules,
  );
  const { warnAt, pauseAt, hardStopAt } = agent.subAgent;
  return {
    delegation,
    tools: toolsOf(
      { model: level.model, delegation },
      tools,
      all.filter((tool) => isOffered(tool, rules)).map(({ definition }) => definition),
    ),
    ...((all.length > 0 || delegation.ways !== undefined || mode !== 'auto' || sandbox !== undefined) && {
      rules,
    }),
    ...(others.tools.length > 0 && { targets: others.targets }),
    ...(ofServers.tools.length > 0 && { servers: others.servers }),
    ...(delegation.spawning !== undefined && { caps: { toolCalls: hardStopAt, warnAt, pauseAt } }),
  };
}

/**
 * The offer of a derived conversation: no more than its caller's, and no more than its mode and depth permit.
 * @param loaded with all tools of the derivation
 */
export function derivedOffer(caller: Opened, derived: Derivation, depth: number, loaded: OwnTools): Offer {
  const { delegation, rules: ofCaller, targets, servers } = caller;
  const rules = ofCaller && rulesOf(ofCaller, derived);
  const isKept = (name: string) => derived.tools.includes(name);
  const { spawning, background, remotes, ...limits } = delegation;
  const own = withWays(
    {
      ...limits,
      // A computed conversation would make nothing of what it is told later.
      ...(!derived.isComputed && defined({ background })),
      depth,
      subAgents: isKept('call_agent') ? delegation.subAgents : [],
      ...(isKept('call_agent') && defined({ remotes })),
      ...(spawning !== undefined && { spawning: ofDerived(spawning, caller, derived) }),
    },
    derived.tools,
    derived.isComputed ? undefined : rules,
  );
  const carriedOut = caller.tools.filter(({ name }) => isKept(name) && !PLANNED_NAMES.includes(name));
  const found = carriedOut.flatMap(({ name }) => toolNamed(name, caller, loaded) ?? []);
  const allowed = new Set(
    found.filter((tool) => isOffered(tool, rules)).map(({ definition }) => definition.name),
  );
  const kept = carriedOut.filter(({ name }) => allowed.has(name));
  const tools = toolsOf({ model: derived.model ?? caller.model, delegation: own }, loaded, kept);
  const offered = new Set([...tools.map(({ name }) => name), ...(own.ways ?? [])]);
  const withheld = [...(caller.withheld ?? []), ...caller.tools.map(({ name }) => name)];
  return {
    delegation: own,
    tools,
    ...defined({ rules, targets, servers }),
    withheld: [...new Set(withheld)].filter((name) => !offered.has(name)).sort(),
  };
}

function spawningOf({
  maxDepth,
  maxConcurrent,
  hardStopAt,
  inheritMode,
  defaultBudget,
}: Agent['subAgent']): Spawning {
  return { maxDepth, maxConcurrent, hardStopAt, inheritMode, budget: defaultBudget };
}

/** A computed conversation spawns agents in its caller's name; any other derived one has its own limit of calls. */
function ofDerived(spawning: Spawning, caller: Opened, { isComputed, caps }: Derivation): Spawning {
  if (isComputed) return { ...spawning, model: caller.model, tools: caller.tools.map(({ name }) => name) };
  const { model: _model, tools: _tools, ...own } = spawning;
  return caps === undefined ? own : { ...own, hardStopAt: caps.toolCalls };
}

/** @param named tools, of which those that are planned and allowed are kept */
function withWays(
  delegation: DelegationLimits,
  named: readonly string[],
  rules: ToolRules | undefined,
): DelegationLimits {
  const { ways: _ways, spawning, ...limits } = delegation;
  const names = PLANNED_NAMES.filter((name) => {
    const judged = { ...asReading(name), writes: isSpawning(name) || name === FORK };
    return name !== 'call_agent' && named.includes(name) && isOffered(judged, rules);
  });
  if (names.length === 0) return limits;
  const spawns = names.some(isSpawning);
  return { ...limits, ways: names, ...(spawns && spawning !== undefined && { spawning }) };
}

function toolsOf(
  asking: Offering,
  { planned }: OwnTools,
  others: readonly ToolDefinition[],
): ToolDefinition[] {
  const { ways = [] } = asking.delegation;
  const defined = ['call_agent', ...ways].flatMap((name) => planned(name)?.define(asking) ?? []);
  return [...defined, ...others].sort((one, other) => (one.name < other.name ? -1 : 1));
}

const MODES = ['plan', 'ask', 'auto'] as const;

/** The one of two modes that allows less. */
function narrower(one: ToolRules['mode'], other: ToolRules['mode'] = 'auto'): ToolRules['mode'] {
  return MODES.find((mode) => mode === one || mode === other) ?? one;
}

/** The narrower of its own and its caller's: a task that it is given may come from where its caller is held. */
function sandboxOf(
  { sandbox: { kind, network, image } }: Agent,
  ofCaller: Sandbox | undefined,
): Sandbox | undefined {
  if (kind === 'none') return ofCaller;
  return { network: network && ofCaller?.network !== false, ...(image !== '' && { image }) };
}

/**
 * The rules of a derived conversation, never wider than its caller's. Where no person is asked, the caller's mode
 * decides about calls that a person would have to approve.
 */
function rulesOf(rules: ToolRules, { mode, isSilent }: Derivation): ToolRules {
  const own = { ...rules, mode: narrower(mode ?? rules.mode, rules.mode) };
  if (!isSilent) return own;
  const deny = rules.mode === 'auto' ? rules.deny : [...rules.deny, ...rules.ask];
  return { ...own, ask: [], deny, isSilent: true };
}
