import { resolve } from 'node:path';
import { ConfigError } from '../../errors.ts';
import type { Opened, OpenedSkill } from '../../core/records/opened.ts';
import type { Skills } from '../../core/tool-contracts/tool.ts';

/**
 * The skills of a conversation in folders of this machine.
 * @param root finds the absolute path of the agents' root
 */
export function openSkills(
  { skills = [], tools }: Pick<Opened, 'skills' | 'tools'>,
  root: () => Promise<string | undefined>,
): Skills {
  const runs = tools.some(({ name }) => name === 'run_command');
  return {
    names: skills.map(({ name }) => name),
    async open(name) {
      const folder = await folderOf(skills, name, root);
      // Most calls are of other tools.
      const { openFolderWorkspace } = await import('./workspace/folder-workspace.ts');
      const files = openFolderWorkspace(folder);
      return { files, ...(runs && { folder: await files.absolutePath('') }) };
    },
  };
}

async function folderOf(
  skills: readonly OpenedSkill[],
  name: string,
  root: () => Promise<string | undefined>,
): Promise<string> {
  const skill = skills.find((each) => each.name === name);
  const above = await root();
  if (skill === undefined || above === undefined) throw new ConfigError('its agent is there no more');
  return resolve(above, skill.folder);
}
