import type { Cli } from '../cli.ts';
import { ENVIRONMENT, withEnvironment } from '../shared-options.ts';

export function defineStop({ command, io }: Cli): void {
  command('stop <run>', 'Stop a run with everything below it')
    .option(...ENVIRONMENT)
    .action(async (run: string, options: { env?: string }) => {
      const { stopRun } = await import('../commands/stop.ts');
      process.exitCode = await withEnvironment(io, options, (environment) => stopRun(run, environment, io));
    });
}
