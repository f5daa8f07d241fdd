import { dollars, secondsToRun, wholeNumber } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import type { ResumeCommandOptions } from '../commands/resume.ts';
import { AGENTS_DIR, ENVIRONMENT, trustHere } from '../shared-options.ts';

export function defineResume({ command, io }: Cli): void {
  command(
    'resume <run>',
    'Continue a run after a crash, a stop or a failure, with its model, prompt and limits',
  )
    .option('--timeout <seconds>', 'seconds from now on (default: those that it started with)', secondsToRun)
    .option('--model <model>', 'provider/model-name, in place of the one that it has')
    .option('--max-tokens <count>', 'tokens to add to the budget of the whole tree', wholeNumber)
    .option('--max-usd <dollars>', 'dollars to add to the budget of the whole tree', dollars)
    .option(...ENVIRONMENT)
    .option(...AGENTS_DIR)
    .addOption(trustHere())
    .option('-v, --verbose', 'report on stderr what happens')
    .option('--json', 'print one line of JSON instead of the answer')
    .action(async (run: string, options: ResumeCommandOptions) => {
      const { resume } = await import('../commands/resume.ts');
      process.exitCode = await resume(run, options, io);
    });
}
