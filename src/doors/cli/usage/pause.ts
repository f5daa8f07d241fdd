import type { Cli } from '../cli.ts';
import { DEPLOYED } from '../shared-options.ts';

export function definePause({ command, io }: Cli): void {
  command('pause', 'Stop everything in a deployed environment, without ending it')
    .requiredOption(...DEPLOYED)
    .option('--reason <text>', 'told to everyone who starts something meanwhile')
    .action(async ({ env, reason }: { env: string; reason?: string }) => {
      process.exitCode = await (await import('../commands/pause.ts')).pause(env, reason, io);
    });
}

export function defineUnpause({ command, io }: Cli): void {
  command('unpause', 'Have a paused environment go on where it stood')
    .requiredOption(...DEPLOYED)
    .action(async ({ env }: { env: string }) => {
      process.exitCode = await (await import('../commands/pause.ts')).unpause(env, io);
    });
}
