import { InvalidArgumentError, Option } from 'commander';
import { COSTS_BY_TEXT, parseCostsBy, type AskedCosts } from '../../../core/reports/cost-report.ts';
import { moment } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import type { CostsOptions } from '../commands/costs.ts';
import { ENVIRONMENT, withEnvironment } from '../shared-options.ts';

export function defineCosts({ command, io }: Cli): void {
  command('costs', 'Add up what runs have cost')
    .addOption(
      new Option(
        '--by <what>',
        'by agent, model, owner, day, version, pack, several with commas, or tag:<key>',
      )
        .argParser(by)
        .default({ by: ['day'] } satisfies AskedCosts, 'day'),
    )
    .addOption(
      new Option('--since <age or time>', 'from the day on which that was')
        .argParser(moment)
        .default(Date.now() - WEEK_MS, '7d'),
    )
    .addOption(new Option('--json', 'print a JSON array').conflicts('csv'))
    .option('--csv', 'print comma-separated values')
    .option(...ENVIRONMENT)
    .action(async (options: CostsOptions & { env?: string }) => {
      const { listCosts } = await import('../commands/costs.ts');
      process.exitCode = await withEnvironment(io, options, (environment) =>
        listCosts(environment, options, io),
      );
    });
}

const WEEK_MS = 7 * 86_400_000;

function by(text: string): AskedCosts {
  const asked = parseCostsBy(text);
  if (asked === undefined) throw new InvalidArgumentError(`It must be ${COSTS_BY_TEXT}`);
  return asked;
}
