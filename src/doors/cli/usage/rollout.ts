import { Option } from 'commander';
import { share } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import type { RolloutOptions } from '../commands/rollout.ts';
import { DEPLOYED } from '../shared-options.ts';

export function defineRollout({ command, io }: Cli): void {
  command('rollout', 'Show or set the share of new runs that take the next agents of an environment')
    .requiredOption(...DEPLOYED)
    .addOption(
      new Option('--next <share>', 'the share that takes them from now on, from 0 to 1, such as 0.1')
        .argParser(share)
        .conflicts(['promote', 'back']),
    )
    .addOption(new Option('--promote', 'all new runs take them').conflicts('back'))
    .option('--back', 'no new run takes them')
    .option('--json', 'print JSON')
    .action(async (options: RolloutOptions) => {
      process.exitCode = await (await import('../commands/rollout.ts')).rollout(options, io);
    });
}
