import type { Cli } from '../cli.ts';

export function defineVersion({ command, io, version }: Cli): void {
  command('version', 'Print the version').action(() => io.stdout(`${version}\n`));
}
