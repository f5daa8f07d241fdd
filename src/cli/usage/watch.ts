import type { Cli } from '../cli.ts';
import { ENVIRONMENT, withRuns } from '../shared-options.ts';

export function defineWatch({ command, io }: Cli): void {
  command('watch <run>', 'Follow a run of another process')
    .option(...ENVIRONMENT)
    .action(async (run: string, options: { env?: string }) => {
      const { watchRun } = await import('../commands/watch.ts');
      process.exitCode = await withRuns(io, options, (kept) => watchRun(run, kept, io));
    });
}
