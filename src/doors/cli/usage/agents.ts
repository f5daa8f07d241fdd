import type { Cli } from '../cli.ts';
import type { AgentsOptions } from '../commands/agents.ts';
import type { AgentsDiffOptions } from '../commands/agents-diff.ts';
import { AGENTS_DIR, ENVIRONMENT, TRUST, withEnvironment } from '../shared-options.ts';

export function defineAgents({ command, io }: Cli): void {
  const agents = command('agents', 'Show, create and check agents');
  agents
    .command('list')
    .description('List agents')
    .option(...AGENTS_DIR)
    .action(async (options: AgentsOptions) =>
      (await import('../commands/agents.ts')).listAgents(options, io),
    );
  agents
    .command('show <agent>')
    .description("Show what an agent's file sets")
    .option(...AGENTS_DIR)
    .action(async (agent: string, options: AgentsOptions) =>
      (await import('../commands/agents.ts')).showAgent(agent, options, io),
    );
  agents
    .command('diff <run>')
    .description('Show what has changed since a run was opened, in all that shaped it')
    .option(...AGENTS_DIR)
    .option(...ENVIRONMENT)
    .option('--json', 'print JSON')
    .action(async (run: string, options: { env?: string } & AgentsDiffOptions) => {
      const { diffAgents } = await import('../commands/agents-diff.ts');
      process.exitCode = await withEnvironment(io, options, (environment) =>
        diffAgents(run, environment, options, io),
      );
    });
  agents
    .command('init <agent>')
    .description(
      'Write a template into ./agents if it exists, otherwise into your own folder, and print its path',
    )
    .option('--agents-dir <folder>', 'write it into this folder')
    .action(async (agent: string, options: AgentsOptions) =>
      (await import('../commands/agents.ts')).initAgent(agent, options, io),
    );
  agents
    .command('edit <agent>')
    .description("Open an agent's file in $EDITOR")
    .option(...AGENTS_DIR)
    .action(async (agent: string, options: AgentsOptions) =>
      (await import('../commands/agents.ts')).editAgent(agent, options, io),
    );

  agents
    .command('check [agents...]')
    .description('Check these agents, or all, with everything that they refer to')
    .option(...AGENTS_DIR)
    .option(...TRUST)
    .action(async (names: string[], options: AgentsOptions) => {
      process.exitCode = await (await import('../commands/check-agents.ts')).checkAgents(names, options, io);
    });
}
