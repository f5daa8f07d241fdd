import type { Cli } from '../cli.ts';
import type { AgentsOptions } from '../commands/agents.ts';
import { AGENTS_DIR } from '../shared-options.ts';

export function defineSkills({ command, io }: Cli): void {
  const skills = command('skills', 'Show skills');
  skills
    .command('list')
    .description('List skills')
    .option(...AGENTS_DIR)
    .action(async (options: AgentsOptions) =>
      (await import('../commands/skills.ts')).listSkills(options, io),
    );
  skills
    .command('show <skill>')
    .description('Print a skill')
    .option(...AGENTS_DIR)
    .action(async (skill: string, options: AgentsOptions) =>
      (await import('../commands/skills.ts')).showSkill(skill, options, io),
    );
}
