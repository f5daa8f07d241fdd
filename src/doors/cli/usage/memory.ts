import type { Cli } from '../cli.ts';
import type { MemoryOptions } from '../commands/memory.ts';
import type { OwnersOptions } from '../commands/memory-owners.ts';
import { AGENTS_DIR, ENVIRONMENT, ISSUER, OWNER } from '../shared-options.ts';

export function defineMemory({ command, io }: Cli): void {
  const memory = command('memory', 'Show, move and remove what agents remember');
  memory
    .command('show <agent>')
    .description("Print the part of an agent's memory that it is shown")
    .option(...ENVIRONMENT)
    .option(...OWNER)
    .option(...ISSUER)
    .option(...AGENTS_DIR)
    .action(async (agent: string, options: MemoryOptions) =>
      (await import('../commands/memory.ts')).showMemory(agent, options, io),
    );
  memory
    .command('export <agent>')
    .description("Print all of an agent's memory as Markdown")
    .option(...ENVIRONMENT)
    .option(...OWNER)
    .option(...ISSUER)
    .option(...AGENTS_DIR)
    .action(async (agent: string, options: MemoryOptions) =>
      (await import('../commands/memory.ts')).exportMemory(agent, options, io),
    );
  memory
    .command('import <agent>')
    .description('Add an exported memory from stdin; entries that exist already are skipped')
    .option(...ENVIRONMENT)
    .option(...OWNER)
    .option(...ISSUER)
    .option(...AGENTS_DIR)
    .action(async (agent: string, options: MemoryOptions) =>
      (await import('../commands/memory.ts')).importMemory(agent, options, io),
    );
  memory
    .command('assign [agent]')
    .description("Move entries of the account's memory to the owners of their runs (default: of all agents)")
    .option(...ENVIRONMENT)
    .option('--owner <owner>', 'only entries of this owner')
    .option(...ISSUER)
    .option(...AGENTS_DIR)
    .action(async (agent: string | undefined, options: OwnersOptions) =>
      (await import('../commands/memory-owners.ts')).assignMemory(agent, options, io),
    );
  memory
    .command('forget')
    .description('Remove all entries of an owner, and say what remains of them elsewhere')
    .requiredOption('--owner <owner>', 'the subject of their tokens')
    .option(...ISSUER)
    .option(...ENVIRONMENT)
    .option(...AGENTS_DIR)
    .action(async (options: OwnersOptions & { owner: string }) =>
      (await import('../commands/memory-owners.ts')).forgetMemory(options, io),
    );
}
