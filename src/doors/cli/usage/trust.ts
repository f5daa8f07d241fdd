import { Option } from 'commander';
import type { Cli } from '../cli.ts';
import type { TrustOptions } from '../commands/trust.ts';

export function defineTrust({ command, io }: Cli): void {
  command('trust [folders...]', 'Let the agents of a folder start servers and modules (default: this folder)')
    .option('--list', 'list the folders that you have trusted')
    .addOption(new Option('--remove', 'trust it no more').conflicts('list'))
    .action(async (folders: string[], options: TrustOptions) => {
      const { trust } = await import('../commands/trust.ts');
      process.exitCode = await trust(folders, options, io);
    });
}
