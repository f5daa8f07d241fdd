import { loadAgent } from '../../../core/agent-schema/load-agent.ts';
import type { Listing, ToolServer } from '../../../core/records/tool-server.ts';
import { serverTarget } from '../../../core/agent-schema/targets.ts';
import { localSources } from '../../../authoring/loading/local-sources.ts';
import { counted } from '../../../counted.ts';
import { shortened } from '../../../shortened.ts';
import { AgentError, ConfigError } from '../../../errors.ts';
import { EXIT } from '../terminal/exit-code.ts';
import type { Io } from '../terminal/io.ts';
import { jsonLine, oneLine } from '../terminal/printable.ts';
import { serverText } from '../terminal/server-text.ts';

export interface McpToolsOptions {
  agentsDir?: string;
  json?: boolean;
}

/**
 * `cadre mcp tools <agent>`: asks each server of an agent for its current offer, and shows the part that the agent's
 * model gets. A server that does not answer is reported, and the others are shown.
 * @returns the exit code: 1 if a server did not answer
 */
export async function mcpTools(name: string, options: McpToolsOptions, io: Io): Promise<number> {
  const { source, servers, trust } = await localSources(io, options.agentsDir);
  const { agent } = await loadAgent(name, source);
  await trust.assertTrusted(async () =>
    agent.mcpServers.map(serverTarget).filter(({ isProgram }) => isProgram),
  );
  if (agent.mcpServers.length === 0 && options.json !== true) {
    io.stderr(`agent "${name}" uses no servers: they are its [[mcp_servers]]\n`);
  }
  try {
    const asked = await Promise.all(
      agent.mcpServers.map(async (server) => ({ server, ...(await ask(() => servers.list(server))) })),
    );
    if (options.json === true) {
      io.stdout(`${jsonLine(asked.map(toJson), 2)}\n`);
    } else {
      for (const { server, listing } of asked)
        if (listing !== undefined) io.stdout(listingText(server, listing));
    }
    for (const { listing } of asked) {
      for (const note of listing?.notes ?? []) io.stderr(`Warning: ${oneLine(note)}\n`);
    }
    const errors = asked.flatMap(({ error }) => error ?? []);
    for (const error of errors) io.stderr(`Error: ${oneLine(error)}\n`);
    return errors.length === 0 ? EXIT.success : EXIT.agent;
  } finally {
    await servers.close();
  }
}

interface Asked {
  listing?: Listing;
  error?: string;
}

async function ask(list: () => Promise<Listing>): Promise<Asked> {
  try {
    return { listing: await list() };
  } catch (thrown) {
    if (thrown instanceof ConfigError || thrown instanceof AgentError) return { error: thrown.message };
    throw thrown;
  }
}

function toJson({ server, listing, error }: Asked & { server: ToolServer }) {
  return {
    server: server.name,
    ...(listing !== undefined && {
      tools: listing.tools.map(({ name, definition }) => ({
        ...definition,
        server_name: name,
        read_only: server.readOnly.includes(name),
      })),
      ...(listing.instructions !== undefined && { instructions: listing.instructions }),
      notes: listing.notes,
    }),
    ...(error !== undefined && { error }),
  };
}

function listingText(server: ToolServer, { tools, instructions }: Listing): string {
  const used = server.instructions === true ? 'in the system prompt' : 'not used: instructions = true';
  const lines = [
    `${serverText(server)}: ${counted(tools.length, 'tool')}`,
    ...tools.map(({ name, definition }) => {
      const mark = server.readOnly.includes(name) ? ' (read only)' : '';
      const about = firstLine(definition.description);
      return `  ${oneLine(definition.name)}${mark}${about === '' ? '' : ` - ${about}`}`;
    }),
    ...(instructions === undefined ? [] : [`  instructions (${used}): ${firstLine(instructions)}`]),
  ];
  return `${lines.join('\n')}\n`;
}

const MAX_LINE_CHARACTERS = 200;

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n');
  return oneLine(shortened(line, MAX_LINE_CHARACTERS));
}
