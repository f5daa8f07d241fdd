import { folderContext } from '../../api/folder-context.ts';
import { EXIT } from '../terminal/exit-code.ts';
import type { RunIo } from '../terminal/io.ts';
import { openServedAgents } from './served-agents.ts';

/**
 * `cadre mcp`: the agents here as tools, until the client that started this process closes its stdin. Messages for
 * people go to stderr; stdout is the protocol's.
 * @returns the exit code
 */
export async function mcp({ agentsDir }: { agentsDir?: string }, io: RunIo): Promise<number> {
  const { folder, source, models, refused, tell } = await openServedAgents(agentsDir, io);
  // Those who follow schedules, as `cadre serve` does, are told there.
  for (const fault of refused) tell(`Warning: ${fault}`);
  // Somebody who types it sees no prompt, and would wait for one.
  if (io.keyboard !== undefined)
    tell('this command speaks MCP over stdin and stdout: have a client of MCP start it; stop with Ctrl-C');
  try {
    const context = folderContext({ environment: folder, source, models, now: Date.now, tell });
    const { serveMcpOverStdio } = await import('../../api/mcp/stdio.ts');
    await serveMcpOverStdio(context, io.interrupted);
    await folder.stopAll('its client has left');
    return EXIT.success;
  } finally {
    await folder.close();
  }
}
