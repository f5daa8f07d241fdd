import type { Cli } from '../cli.ts';

export function defineConfig({ command, io }: Cli): void {
  const config = command('config', 'Show and create your own configuration');
  config
    .command('path')
    .description('Print its path')
    .action(async () => (await import('../commands/config.ts')).printConfigPath(io));
  config
    .command('init')
    .description('Create agents/, skills/sample/ and config.toml there')
    .action(async () => (await import('../commands/config.ts')).initConfig(io));
}
