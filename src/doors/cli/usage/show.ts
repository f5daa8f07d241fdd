import { Option } from 'commander';
import type { Cli } from '../cli.ts';
import type { ShowOptions } from '../commands/show.ts';
import { ENVIRONMENT, withEnvironment } from '../shared-options.ts';

export function defineShow({ command, io }: Cli): void {
  command('show <run>', 'Show the tree of a run')
    .option('--messages', 'also print its conversation')
    .addOption(new Option('--answer', 'print only its answer').conflicts(['json', 'messages']))
    .option(...ENVIRONMENT)
    .option('--json', 'print JSON')
    .action(async (run: string, options: { env?: string } & Partial<ShowOptions>) => {
      const { showRun } = await import('../commands/show.ts');
      process.exitCode = await withEnvironment(io, options, (environment) =>
        showRun(run, environment, { json: false, messages: false, ...options }, io),
      );
    });
}
