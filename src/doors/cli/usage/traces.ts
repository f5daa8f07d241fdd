import { Option } from 'commander';
import type { Cli } from '../cli.ts';
import type { TracesOptions } from '../commands/traces.ts';
import { ENVIRONMENT, withEnvironment } from '../shared-options.ts';

export function defineTraces({ command, io }: Cli): void {
  command('traces', 'Export a recorded tree as OpenTelemetry spans')
    .argument('<run>', 'a run id, the beginning of one, or last')
    .addOption(
      new Option(
        '--otlp <url>',
        'send them to this collector (default: that of the OTEL_ variables)',
      ).conflicts('json'),
    )
    .option('--json', 'print them as OTLP JSON')
    .option('--content', 'with prompts, answers, arguments and results')
    .option(...ENVIRONMENT)
    .action(async (run: string, options: TracesOptions & { env?: string }) => {
      const { exportTraces } = await import('../commands/traces.ts');
      process.exitCode = await withEnvironment(io, options, (environment) =>
        exportTraces(run, environment, options, io),
      );
    });
}
