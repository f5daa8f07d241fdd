import { seconds } from '../../../core/records/times.ts';
import { secondsToRun } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import type { VerifyOptions } from '../commands/verify.ts';

export function defineVerify({ command, io }: Cli): void {
  command(
    'verify',
    'Verify a deployed environment: play scenarios there and in the interpreter, and compare them',
  )
    .requiredOption('--env <environment>', 'the environment, deployed with "verify": true in cdk.json')
    .option('--scenario <name>', 'play only this one')
    .option('--timeout <seconds>', 'seconds for all scenarios', secondsToRun, seconds(1_200))
    .option('--json', 'print one line of JSON')
    .action(async (options: VerifyOptions) => {
      const { verifyEnvironment } = await import('../commands/verify.ts');
      process.exitCode = await verifyEnvironment(options, io);
    });
}
