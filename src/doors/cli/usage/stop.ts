import type { Cli } from '../cli.ts';
import { ENVIRONMENT, withRuns } from '../shared-options.ts';

export function defineStop({ command, io }: Cli): void {
  command('stop <run>', 'Stop a run with everything below it')
    .option(...ENVIRONMENT)
    .action(async (run: string, options: { env?: string }) => {
      const { stopRun } = await import('../commands/stop.ts');
      process.exitCode = await withRuns(io, options, (kept) => stopRun(run, kept, io));
    });
}
