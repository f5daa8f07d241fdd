import type { Cli } from '../cli.ts';
import { ENVIRONMENT, withEnvironment } from '../shared-options.ts';

export function defineKill({ command, io }: Cli): void {
  command('kill <run>', "End a sub-agent's run with everything below it, for good")
    .option(...ENVIRONMENT)
    .action(async (run: string, options: { env?: string }) => {
      const { killRun } = await import('../commands/kill.ts');
      process.exitCode = await withEnvironment(io, options, (environment) => killRun(run, environment, io));
    });
}
