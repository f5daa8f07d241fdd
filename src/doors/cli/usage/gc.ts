import type { Cli } from '../cli.ts';
import type { GcOptions } from '../commands/gc.ts';
import { AGENTS_DIR, ENVIRONMENT, ISSUER, OWNER } from '../shared-options.ts';

export function defineGc({ command, io }: Cli): void {
  command('gc [agent]', 'Have a model analyse the memory of an agent, then trim it')
    .option('--all', 'process every agent with a memory')
    .option(
      '--versions',
      'instead of trimming memories, remove versions of deployed functions that no execution needs',
    )
    .option('--dry-run', 'trim and remove nothing')
    .option('--model <provider/name>', "use this model instead of the agent's")
    .option(...ENVIRONMENT)
    .option(...OWNER)
    .option(...ISSUER)
    .option(...AGENTS_DIR)
    .action(async (agent: string | undefined, options: GcOptions) => {
      process.exitCode = options.versions
        ? await (await import('../commands/gc-versions.ts')).gcVersions(agent, options, io)
        : await (await import('../commands/gc.ts')).gc(agent, options, io);
    });
}
