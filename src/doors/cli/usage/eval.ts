import { InvalidArgumentError } from 'commander';
import { wholeNumber } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import type { EvalOptions } from '../commands/eval.ts';
import { AGENTS_DIR, ENVIRONMENT, TRUST } from '../shared-options.ts';

export function defineEval({ command, io }: Cli): void {
  const evaluate = command('eval', 'Play the cases of evaluations and grade them')
    .argument('[files...]', 'evaluation files')
    .option('--against <folder>', 'compare with another folder of the project, or with git:<revision>')
    .option('--models <names>', 'compare models, separated by commas', list)
    .option('--agents <names>', 'compare agents, separated by commas', list)
    .option('--repeat <count>', "how often each case is played (default: the file's)", wholeNumber)
    .option('--only <pattern>', 'only cases whose names fit, such as "refund *"')
    .option('--list', 'list the cases, and play none')
    .option('--html <file>', 'write a report that a browser shows')
    .option('--junit <file>', 'write a report that CI servers show')
    .option('--json', 'print JSON')
    .option(...ENVIRONMENT)
    .option(...AGENTS_DIR)
    .option(...TRUST)
    .action(async (files: string[], options: EvalOptions) => {
      if (files.length === 0) return evaluate.error("Error: missing required argument 'files'");
      process.exitCode = await (await import('../commands/eval.ts')).evaluateFiles(files, options, io);
    });
  evaluate
    .command('add <run> <file>')
    .description('Add a run to an evaluation, as a case')
    .action(async (run: string, file: string) => {
      // The options of the command above it are read there.
      const { env } = evaluate.opts<{ env?: string }>();
      process.exitCode = await (await import('../commands/eval-add.ts')).addCase(run, file, { env }, io);
    });
}

/** What is compared; the figures of one that is named twice could not be told apart. */
function list(text: string): string[] {
  const names = text.split(',').map((each) => each.trim());
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new InvalidArgumentError(`It names ${twice} twice`);
  return names;
}
