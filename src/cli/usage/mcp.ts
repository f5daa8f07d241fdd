import type { Cli } from '../cli.ts';
import { AGENTS_DIR } from '../shared-options.ts';

export function defineMcp({ command, io }: Cli): void {
  command('mcp', 'Serve agents as tools of the Model Context Protocol, over stdin and stdout')
    .option(...AGENTS_DIR)
    .action(async (options: { agentsDir?: string }) => {
      const { mcp } = await import('../commands/mcp.ts');
      process.exitCode = await mcp(options, io);
    });
}
