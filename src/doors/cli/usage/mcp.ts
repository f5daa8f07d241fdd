import { ConfigError } from '../../../errors.ts';
import { fileFault } from '../../../places/local/workspace/file-fault.ts';
import type { Cli } from '../cli.ts';
import { AGENTS_DIR } from '../shared-options.ts';

export function defineMcp({ command, io }: Cli): void {
  command('mcp [folder]', 'Serve agents as tools of the Model Context Protocol, over stdin and stdout')
    .option(...AGENTS_DIR)
    .action(async (folder: string | undefined, options: { agentsDir?: string }) => {
      if (folder !== undefined) goTo(folder);
      const { mcp } = await import('../commands/mcp.ts');
      process.exitCode = await mcp(options, io);
    });
}

/** Few clients can say in which folder they start a server. */
function goTo(folder: string): void {
  try {
    process.chdir(folder);
  } catch (cause) {
    throw new ConfigError(`cannot serve the agents of ${folder}: ${fileFault(cause)}`, { cause });
  }
}
