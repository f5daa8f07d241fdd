import type { Cli } from '../cli.ts';
import type { RecordOptions } from '../commands/record.ts';
import type { ReplayOptions } from '../commands/replay.ts';
import { AGENTS_DIR, ENVIRONMENT, withEnvironment } from '../shared-options.ts';

const JSON_OUTPUT = ['--json', 'print JSON'] as const;

export function defineReplay({ command, io }: Cli): void {
  command('replay <run>', 'Replay a run with the agents as they are now, and show the first difference')
    .option(...ENVIRONMENT)
    .option(...AGENTS_DIR)
    .option(...JSON_OUTPUT)
    .action(async (run: string, options: { env?: string } & ReplayOptions) => {
      const { replayRun } = await import('../commands/replay.ts');
      process.exitCode = await withEnvironment(io, options, (environment) =>
        replayRun(run, environment, options, io),
      );
    });
}

export function defineRecord({ command, io }: Cli): void {
  command('record <run> <file>', 'Write a run to a file that cadre test replays')
    .option(...ENVIRONMENT)
    .option('--force', 'write over the file if it is there')
    .action(async (run: string, file: string, options: { env?: string } & RecordOptions) => {
      const { recordRun } = await import('../commands/record.ts');
      process.exitCode = await withEnvironment(io, options, (environment) =>
        recordRun(run, file, environment, options, io),
      );
    });
}

export function defineTest({ command, io }: Cli): void {
  command('test <files...>', 'Replay recorded runs with the agents as they are now')
    .option(...AGENTS_DIR)
    .option(...JSON_OUTPUT)
    .action(async (files: string[], options: ReplayOptions) => {
      const { testRecordings } = await import('../commands/test.ts');
      process.exitCode = await testRecordings(files, options, io);
    });
}
