import type { ServerTarget } from '../records/call.ts';
import type { ToolDefinition } from '../records/message.ts';
import type { ToolServer } from '../records/tool-server.ts';
import { errorOutput } from './error-output.ts';
import type { Tool } from './tool.ts';

/** A tool of a server, `[[mcp_servers]]` of the agent's file. */
export function serverTool(
  definition: ToolDefinition,
  { tool, mirrored, seconds, isRepeatable, writes }: ServerTarget,
  server: ToolServer | undefined,
): Tool {
  const { name } = definition;
  return {
    definition,
    writes,
    isRepeatable,
    seconds: () => seconds,
    subject: () => undefined,
    subjectIs: 'address',
    async run(args, { servers, owner, signal }) {
      if (servers === undefined || server === undefined) {
        return errorOutput(`${name} cannot be called here`);
      }
      return servers.call(server, { tool, mirrored, name, owner, arguments: args, isRepeatable, signal });
    },
  };
}
