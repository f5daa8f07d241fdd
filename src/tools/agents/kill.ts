import { anyText } from '../../core/tool-contracts/arguments.ts';
import { agentTool } from './agent-tool.ts';

/** `kill`: ends an agent and everything below it for good. */
export const killTool = agentTool({
  name: 'kill',
  description:
    'End an agent and every agent below it, for good. What it has done stays; messages to it are refused.',
  parameters: { uuid: { type: 'string', description: 'Uuid of the agent' } },
  writes: true,
  run: async ({ uuid }, agents) => ({ killed: await agents.kill(anyText(uuid).trim()) }),
});
