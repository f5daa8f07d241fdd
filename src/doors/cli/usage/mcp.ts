import type { Command } from 'commander';
import { ConfigError } from '../../../errors.ts';
import { fileFault } from '../../../places/local/workspace/file-fault.ts';
import type { Cli } from '../cli.ts';
import type { McpLoginOptions } from '../commands/mcp-login.ts';
import type { McpToolsOptions } from '../commands/mcp-tools.ts';
import { AGENTS_DIR, TRUST } from '../shared-options.ts';

const OF_ENVIRONMENT = [
  '--env <environment>',
  'the sign-in of a deployed environment itself, in place of yours',
] as const;

export function defineMcp({ command, io }: Cli): void {
  const served = command(
    'mcp [folder]',
    'Serve agents as tools of the Model Context Protocol, over stdin and stdout',
  )
    .option(...AGENTS_DIR)
    .option(...TRUST)
    .action(async (folder: string | undefined, options: { agentsDir?: string }) => {
      if (folder !== undefined) goTo(folder);
      const { mcp } = await import('../commands/mcp.ts');
      process.exitCode = await mcp(options, io);
    });
  served
    .command('login <agent> [server]')
    .description('Sign in to the servers of an agent that want a person to, in a browser')
    .option(...AGENTS_DIR)
    .option(...OF_ENVIRONMENT)
    .action(async (agent: string, server: string | undefined, _: unknown, own: Command) => {
      const { mcpLogin } = await import('../commands/mcp-login.ts');
      process.exitCode = await mcpLogin(agent, server, own.optsWithGlobals<McpLoginOptions>(), io);
    });
  served
    .command('logout <agent> [server]')
    .description('Forget the sign-in to the servers of an agent, and have its tokens revoked')
    .option(...AGENTS_DIR)
    .option(...OF_ENVIRONMENT)
    .action(async (agent: string, server: string | undefined, _: unknown, own: Command) => {
      const { mcpLogout } = await import('../commands/mcp-login.ts');
      process.exitCode = await mcpLogout(agent, server, own.optsWithGlobals<McpLoginOptions>(), io);
    });
  served
    .command('tools <agent>')
    .description("Ask an agent's servers what they offer, and show what its model gets of it")
    .option(...AGENTS_DIR)
    .option(...TRUST)
    .option('--json', 'print JSON')
    .action(async (agent: string, _: unknown, own: Command) => {
      const { mcpTools } = await import('../commands/mcp-tools.ts');
      process.exitCode = await mcpTools(agent, own.optsWithGlobals<McpToolsOptions>(), io);
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
