import type { Cli } from '../cli.ts';
import type { TrustOptions } from '../commands/trust.ts';

export function defineTrust({ command, io }: Cli): void {
  command('trust [folders...]', 'Let the agents of a folder start servers and modules (default: this folder)')
    .option('--list', 'list the folders that you have trusted')
    .option('--remove', 'trust it no more')
    .action(async (folders: string[], options: TrustOptions) => {
      const { trust } = await import('../commands/trust.ts');
      process.exitCode = await trust(folders, options, io);
    });
}
