import type { Cli } from '../cli.ts';
import type { MemoryOptions } from '../commands/memory.ts';
import { AGENTS_DIR, ENVIRONMENT } from '../shared-options.ts';

export function defineMemory({ command, io }: Cli): void {
  const memory = command('memory', 'Show, export and import what agents remember');
  memory
    .command('show <agent>')
    .description("Print the part of an agent's memory that it is shown")
    .option(...ENVIRONMENT)
    .option(...AGENTS_DIR)
    .action(async (agent: string, options: MemoryOptions) =>
      (await import('../commands/memory.ts')).showMemory(agent, options, io),
    );
  memory
    .command('export <agent>')
    .description("Print all of an agent's memory as Markdown")
    .option(...ENVIRONMENT)
    .option(...AGENTS_DIR)
    .action(async (agent: string, options: MemoryOptions) =>
      (await import('../commands/memory.ts')).exportMemory(agent, options, io),
    );
  memory
    .command('import <agent>')
    .description('Add an exported memory from stdin; entries that exist already are skipped')
    .option(...ENVIRONMENT)
    .option(...AGENTS_DIR)
    .action(async (agent: string, options: MemoryOptions) =>
      (await import('../commands/memory.ts')).importMemory(agent, options, io),
    );
}
