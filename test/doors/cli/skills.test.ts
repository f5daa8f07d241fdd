import { describe, expect, it } from 'vitest';
import { listSkills, showSkill } from '../../../src/doors/cli/commands/skills.ts';
import { ConfigError } from '../../../src/errors.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { emptyFolder, tempFolder } from '../../fixtures/temp-folder.ts';

const skill = (description: string) => `---\nname: x\ndescription: ${description}\n---\n\n# X\n`;

async function stage() {
  const root = await tempFolder({
    'agents/x.toml': '',
    'skills/b/SKILL.md': skill('"Does b: well"'),
    'skills/a/SKILL.md': '# No front matter\n\ndescription: none\n',
    'skills/folded/SKILL.md': skill('>\n  several\n  lines'),
    'skills/empty': emptyFolder,
    'skills/README.md': '',
    'config/cadre/skills/own/SKILL.md': skill('own'),
    'config/cadre/skills/b/SKILL.md': skill('hidden by the project'),
    'other/skills/o/SKILL.md': skill('other'),
  });
  return recordedIo(root, { env: { XDG_CONFIG_HOME: `${root}/config` } });
}

describe('skills', () => {
  it('are listed with their descriptions, those of the project and of the user', async () => {
    const io = await stage();
    await listSkills({}, io);
    expect([io.out, io.err]).toEqual(['a\nb - Does b: well\nfolded - several lines\nown - own\n', '']);
  });

  it('are those beside the agents folder that is given', async () => {
    const io = await stage();
    await listSkills({ agentsDir: 'other/agents' }, io);
    expect(io.out).toBe('o - other\n');
  });

  it('are shown as they are', async () => {
    const io = await stage();
    await showSkill('b', {}, io);
    await showSkill('own', {}, io);
    expect(io.out).toBe(skill('"Does b: well"') + skill('own'));
  });

  it('are not there, or not to be reached by that name', async () => {
    const io = await stage();
    await expect(showSkill('empty', {}, io)).rejects.toThrow(
      new ConfigError(`skill not found: ${io.cwd}/skills/empty/SKILL.md`),
    );
    await expect(showSkill('../agents', {}, io)).rejects.toThrow(/^invalid skill name "\.\.\/agents": /);
  });
});
