import type { Cli } from '../cli.ts';
import type { AgentsOptions } from '../commands/agents.ts';
import type { AddOptions } from '../commands/skills.ts';
import { AGENTS_DIR } from '../shared-options.ts';

export function defineSkills({ command, io }: Cli): void {
  const skills = command('skills', 'Show, check and add skills');
  skills
    .command('list')
    .description('List skills')
    .option(...AGENTS_DIR)
    .action(async (options: AgentsOptions) =>
      (await import('../commands/skills.ts')).listSkills(options, io),
    );
  skills
    .command('check [folders...]')
    .description('Check skills: those in these folders, or all')
    .option(...AGENTS_DIR)
    .action(async (folders: string[], options: AgentsOptions) => {
      process.exitCode = await (await import('../commands/skills.ts')).checkSkills(folders, options, io);
    });
  skills
    .command('add <folder>')
    .description('Copy a skill, or all in a folder, into skills/')
    .option(...AGENTS_DIR)
    .option('--force', 'overwrite files that are there already')
    .action(async (folder: string, options: AddOptions) => {
      process.exitCode = await (await import('../commands/skills.ts')).addSkills(folder, options, io);
    });
  skills
    .command('show <skill>')
    .description('Print a skill')
    .option(...AGENTS_DIR)
    .action(async (skill: string, options: AgentsOptions) =>
      (await import('../commands/skills.ts')).showSkill(skill, options, io),
    );
}
