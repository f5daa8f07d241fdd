import type { Agent } from '../agent/agent.ts';
import { toolsNamed } from '../agent/tool-names.ts';
import type { ToolCall, ToolDefinition } from '../runs/message.ts';
import { type DelegationLimits, refused, type Plan, type Planner } from '../runs/plan.ts';
import type { Opened } from '../runs/run.ts';
import type { ToolTarget } from '../runs/call.ts';
import { CALL_AGENT, callAgentTool, planCallAgent } from './call-agent.ts';
import { fetchUrlTool } from './fetch-url.ts';
import { FILE_TOOLS } from './files/file-tools.ts';
import { functionTool } from './function-tool.ts';
import { isOffered, refusalOf } from './permissions.ts';
import { runCommandTool } from './run-command.ts';
import { serverTool } from './server-tool.ts';
import type { Tool } from './tool.ts';

/** A way to delegate: how the model sees it, and what a call of it comes to. */
interface Delegation {
  /** Undefined where this agent is not offered it. */
  define(limits: DelegationLimits): ToolDefinition | undefined;
  plan: Planner;
}

const DELEGATIONS = new Map<string, Delegation>([
  [CALL_AGENT, { define: callAgentTool, plan: planCallAgent }],
]);

/** Every tool that a function carries out. */
const TOOLS: readonly Tool[] = [...FILE_TOOLS, fetchUrlTool, runCommandTool];

const BUILT_IN_TOOLS: ReadonlyMap<string, Tool> = new Map(TOOLS.map((tool) => [tool.definition.name, tool]));

/** The tool that a run knows by a name; undefined where it was not offered one, or it is there no more. */
export function toolNamed(
  name: string,
  { tools, targets = {}, servers = {} }: Omit<Offer, 'delegation'>,
): Tool | undefined {
  const definition = tools.find((tool) => tool.name === name);
  if (definition === undefined) return undefined;
  const target = Object.hasOwn(targets, name) ? targets[name] : undefined;
  return target === undefined ? BUILT_IN_TOOLS.get(name) : toTool(definition, target, servers);
}

function toTool(definition: ToolDefinition, target: ToolTarget, servers: Servers): Tool {
  if (target.kind === 'function') return functionTool(definition, target);
  return serverTool(
    definition,
    target,
    Object.hasOwn(servers, target.server) ? servers[target.server] : undefined,
  );
}

/**
 * A model may ask for as many calls in one answer as fit in it. More than this are refused: it is what keeps the state
 * of the machine under 40 KB.
 */
export const MAX_CALLS_PER_TURN = 100;

const CUT =
  'Error: the answer reached its token limit in the middle of this call, so the call did not run; ' +
  'make it again with shorter arguments';

/** What a run may use of what there is. */
export type Offer = Pick<Opened, 'delegation' | 'rules' | 'servers' | 'targets' | 'tools'>;
type Servers = NonNullable<Offer['servers']>;

/** What an agent is offered by servers. */
export type ServerOffer = Required<Pick<Offer, 'servers' | 'targets' | 'tools'>>;

/** What an agent is offered by its file; tools in alphabetical order, in which they are sent. */
export function offerOf(agent: Agent, delegation: DelegationLimits, ofServers = NO_SERVERS): Offer {
  const own = toolsNamed(agent.tools).flatMap((name) => BUILT_IN_TOOLS.get(name) ?? []);
  const others = {
    tools: [
      ...agent.functions.map(({ name, description, parameters }) => ({ name, description, parameters })),
      ...ofServers.tools,
    ],
    targets: {
      ...Object.fromEntries(agent.functions.map(({ name, target }) => [name, target])),
      ...ofServers.targets,
    },
    servers: ofServers.servers,
  };
  const all = [...own, ...others.tools.flatMap(({ name }) => toolNamed(name, others) ?? [])];
  const rules = { mode: agent.mode, ...agent.permissions, allowedHosts: agent.allowedHosts };
  const tools = [
    ...[...DELEGATIONS.values()].flatMap((way) => way.define(delegation) ?? []),
    ...all.filter((tool) => isOffered(tool, rules)).map(({ definition }) => definition),
  ].sort((one, other) => (one.name < other.name ? -1 : 1));
  return {
    delegation,
    tools,
    ...(all.length > 0 && { rules }),
    ...(others.tools.length > 0 && { targets: others.targets }),
    ...(ofServers.tools.length > 0 && { servers: others.servers }),
  };
}

const NO_SERVERS: ServerOffer = { tools: [], targets: {}, servers: {} };

/** One plan for each call of an answer, in call order. */
export function planCalls(calls: readonly ToolCall[], offer: Offer): Promise<Plan[]> {
  const plans = calls.map(async (call, index) => {
    if (index >= MAX_CALLS_PER_TURN) {
      return refused(
        `Error: too many tool calls in one answer (${calls.length}); only the first ${MAX_CALLS_PER_TURN} ran`,
      );
    }
    return call.cut ? refused(CUT) : planCall(call, offer);
  });
  return Promise.all(plans);
}

async function planCall(call: ToolCall, offer: Offer): Promise<Plan> {
  const { delegation, rules } = offer;
  const way = DELEGATIONS.get(call.name);
  if (way !== undefined) return way.plan(call, delegation);
  const tool = toolNamed(call.name, offer);
  if (tool === undefined) return refused(`Unknown tool: "${call.name}"`);
  const subject = tool.subject(call.arguments);
  const refusal = await refusalOf(tool, subject, rules);
  if (refusal !== undefined) return refused(refusal);
  const { writes, isRepeatable } = tool;
  return {
    kind: 'invoke',
    subject: subject ?? '',
    writes,
    isRepeatable,
    seconds: tool.seconds(call.arguments),
  };
}
