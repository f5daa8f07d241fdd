import type { Cli } from '../cli.ts';

export function defineInit({ command, io }: Cli): void {
  command('init [folder]', 'Begin a project with agents, tools, tests and a CDK app')
    .option('--template <name>', 'minimal, review or coder', 'minimal')
    .action(async (folder: string | undefined, options: { template: string }) =>
      (await import('../commands/init.ts')).initProject(folder ?? '.', options, io),
    );
}
