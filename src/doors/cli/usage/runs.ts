import { Option } from 'commander';
import { milliseconds, moment, tag, wholeNumber } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import type { DeleteOptions } from '../commands/delete-runs.ts';
import type { RunsOptions } from '../commands/runs.ts';
import { ENVIRONMENT, withEnvironment } from '../shared-options.ts';

/** The options that narrow a list, and so have no place beside those that remove runs. */
const LISTING = ['agent', 'status', 'tag', 'pack', 'text', 'since', 'limit', 'json'];

export function defineRuns({ command, io }: Cli): void {
  command('runs', 'List runs, newest first')
    .option('--limit <count>', 'the most runs to list', wholeNumber, 20)
    .option('--agent <name>', 'only runs of this agent')
    .option('--status <status>', 'only runs with this status, such as failed')
    .option('--tag <key=value>', 'only runs with this tag; repeat it for several', tag)
    .option('--pack <pack>', 'only runs of this pack of agents, by its name or its folder')
    .option('--text <words>', 'only runs in whose trees all of these words occur')
    .option('--since <age or time>', 'only runs that began then or later, such as 7d', moment)
    .option(...ENVIRONMENT)
    .option('--json', 'print a JSON array')
    .addOption(new Option('--delete <run>', 'delete this run with everything below it').conflicts(LISTING))
    .addOption(
      new Option('--older-than <age>', 'delete all runs that began longer ago, such as 12h, 30d or 8w')
        .argParser(milliseconds)
        .conflicts([...LISTING, 'delete']),
    )
    .action(async (options: Omit<RunsOptions, 'json'> & DeleteOptions & { json?: boolean }) => {
      if (options.delete !== undefined || options.olderThan !== undefined) {
        const { deleteRuns } = await import('../commands/delete-runs.ts');
        process.exitCode = await deleteRuns(options, io);
        return;
      }
      const { listRuns } = await import('../commands/runs.ts');
      process.exitCode = await withEnvironment(io, options, (environment) =>
        listRuns(environment, { json: false, ...options }, io),
      );
    });
}
