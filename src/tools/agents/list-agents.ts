import { agentTool } from './agent-tool.ts';

/** `list_agents`: the agents that an agent has started beside itself, and how they are getting on. */
export const listAgentsTool = agentTool({
  name: 'list_agents',
  description:
    'List the agents that you have started and that work beside you, or have finished: id, name, agent, phase, task and tokens used.',
  parameters: {},
  writes: false,
  run: async (_, agents) => agents.started(),
});
