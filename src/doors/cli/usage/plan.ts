import { wholeNumber } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import type { PlanOptions } from '../commands/plan.ts';
import { AGENTS_DIR } from '../shared-options.ts';

export function definePlan({ command, io }: Cli): void {
  command('plan [agent]', 'Compute the limits and costs of one agent, or of all, before you deploy them')
    .option(...AGENTS_DIR)
    .option(
      '--concurrency <count>',
      'how many functions may run at the same time in the account (default: 1000)',
      wholeNumber,
    )
    .option('--figures', 'print a table of the costs of runs of three sizes')
    .option('--json', 'print JSON')
    .option('-v, --verbose', 'also print what the figures count, and what each function may do')
    .action(async (agent: string | undefined, options: PlanOptions) => {
      const { planAgents, printFigures } = await import('../commands/plan.ts');
      process.exitCode = options.figures ? printFigures(options, io) : await planAgents(agent, options, io);
    });
}
