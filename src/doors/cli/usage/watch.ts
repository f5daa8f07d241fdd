import { Option } from 'commander';
import type { Cli } from '../cli.ts';
import type { WatchOptions } from '../commands/watch.ts';
import { ENVIRONMENT, withEnvironment } from '../shared-options.ts';

export function defineWatch({ command, io }: Cli): void {
  command('watch <run>', 'Follow a run of another process, or look at what one did')
    .addOption(new Option('--events', 'print each event on a line').conflicts('json'))
    .option('--json', 'print each event as AG-UI spells it, as JSON on a line')
    .option(...ENVIRONMENT)
    .action(async (run: string, options: WatchOptions) => {
      const { watchRun } = await import('../commands/watch.ts');
      process.exitCode = await withEnvironment(io, options, (environment) =>
        watchRun(run, options, environment, io),
      );
    });
}
