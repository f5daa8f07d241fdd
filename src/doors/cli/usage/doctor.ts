import type { Cli } from '../cli.ts';
import type { DoctorOptions } from '../commands/doctor.ts';

export function defineDoctor({ command, io }: Cli): void {
  command('doctor', 'Look at everything that keeps agents from running, and say what to do')
    .option('--env <environment>', 'look at a deployed environment instead of this machine and folder')
    .option('--json', 'print one line of JSON')
    .action(async (options: DoctorOptions) => {
      process.exitCode = await (await import('../commands/doctor.ts')).doctor(options, io);
    });
}
