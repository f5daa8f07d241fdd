import { Option } from 'commander';
import type { Cli } from '../cli.ts';
import { TEMPLATE_NAMES, type TemplateName } from '../commands/project-templates.ts';

export function defineInit({ command, io }: Cli): void {
  command('init [folder]', 'Begin a project with agents, tools, tests and a CDK app')
    .addOption(
      new Option('--template <name>', 'what to begin with').choices(TEMPLATE_NAMES).default('minimal'),
    )
    .action(async (folder: string | undefined, options: { template: TemplateName }) =>
      (await import('../commands/init.ts')).initProject(folder ?? '.', options, io),
    );
}
