import { AgentError } from '../../errors.ts';
import type { ToolDefinition } from '../records/message.ts';
import type { Opened } from '../records/opened.ts';
import { REMOTE_TOOL } from '../records/remote-model.ts';
import type { OwnTools } from './own-tools.ts';
import type { Offer } from './toolbox.ts';

/** Nobody but a computed model reads it, which knows what it is. */
const DEFINITION: ToolDefinition = {
  name: REMOTE_TOOL,
  description: 'Ask the remote agent.',
  parameters: { type: 'object', properties: {} },
};

const WAYS = ['ask_user', 'wait'];

/**
 * The offer of the conversation that hands a task to a remote agent: it may ask that agent, wait, and ask people. No
 * rule forbids it: its caller was allowed to call the agent.
 * @param tools with those ways
 * @throws {AgentError} if the caller has no such remote agent
 */
export function remoteOffer(caller: Opened, name: string, depth: number, { planned }: OwnTools): Offer {
  const server = caller.remotes?.[name];
  if (server === undefined) throw new AgentError(`agent "${caller.agent}" has no remote agent "${name}"`);
  const {
    subAgents: _agents,
    remotes: _remotes,
    ways: _ways,
    spawning: _spawning,
    ...limits
  } = caller.delegation;
  const delegation = { ...limits, subAgents: [], depth, ways: WAYS };
  const offering = { model: caller.model, delegation };
  return {
    delegation,
    tools: [DEFINITION, ...WAYS.flatMap((way) => planned(way)?.define(offering) ?? [])],
    targets: {
      [REMOTE_TOOL]: {
        kind: 'mcp',
        server: name,
        tool: REMOTE_TOOL,
        seconds: server.timeout,
        // A message that comes again is known by its id.
        isRepeatable: true,
        writes: true,
      },
    },
    servers: { [name]: server },
  };
}
