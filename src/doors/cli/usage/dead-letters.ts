import type { Cli } from '../cli.ts';
import type { DeadLettersOptions } from '../commands/dead-letters.ts';
import { DEPLOYED } from '../shared-options.ts';

export function defineDeadLetters({ command, io }: Cli): void {
  command('dead-letters', 'List what an environment has tried for hours and given up')
    .requiredOption(...DEPLOYED)
    .option('--retry', 'do it again; what is done twice does no harm')
    .option('--delete', 'forget it')
    .option('--json', 'print one line of JSON')
    .action(async (options: DeadLettersOptions) => {
      process.exitCode = await (await import('../commands/dead-letters.ts')).deadLetters(options, io);
    });
}
