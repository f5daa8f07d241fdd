import { secondsToRun, wholeNumber } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import type { ForkCommandOptions } from '../commands/fork.ts';
import { AGENTS_DIR, ENVIRONMENT, trustHere } from '../shared-options.ts';

export function defineFork({ command, io }: Cli): void {
  command(
    'fork <run> [text...]',
    'Go on from a turn of a run in a new one, with other words or another model',
  )
    .option(
      '--turn <number>',
      'the turn that is made anew (default: the one after its newest answer)',
      wholeNumber,
    )
    .option('--model <model>', 'provider/model-name, in place of the one that it has')
    .option('--timeout <seconds>', 'for the new run (default: those that its tree was given)', secondsToRun)
    .option(...ENVIRONMENT)
    .option(...AGENTS_DIR)
    .addOption(trustHere())
    .option('-v, --verbose', 'report on stderr what happens')
    .option('--json', 'print one line of JSON instead of the answer')
    .action(async (run: string, text: string[], options: ForkCommandOptions) => {
      const { fork } = await import('../commands/fork.ts');
      process.exitCode = await fork(run, text, options, io);
    });
}
