import { describe, expect, it } from 'vitest';
import { addSkills, checkSkills, listSkills, showSkill } from '../../../src/doors/cli/commands/skills.ts';
import { ConfigError } from '../../../src/errors.ts';
import { contentOf } from '../../fixtures/folder-content.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { COLLECTION, skillText } from '../../fixtures/skills.ts';
import { emptyFolder, tempFolder } from '../../fixtures/temp-folder.ts';

const skill = (description: string) => `---\nname: x\ndescription: ${description}\n---\n\n# X\n`;

async function stage() {
  const root = await tempFolder({
    'agents/x.toml': '',
    'skills/b/SKILL.md': skill('"Does b: well"'),
    'skills/a/SKILL.md': '# No front matter\n\ndescription: none\n',
    'skills/folded/SKILL.md': skill('>\n  several\n  lines'),
    'skills/nameless/SKILL.md': '---\nname: nameless\ndescription: [a]\n---\n',
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
    expect([io.out, io.err]).toEqual([
      'a\nb - Does b: well\nfolded - several lines\nnameless\nown - own\n',
      '',
    ]);
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

describe('skills check', () => {
  it('says of each skill whether it is in order, and where its faults are', async () => {
    const io = recordedIo(
      await tempFolder({
        'skills/good/SKILL.md': skillText('good'),
        'skills/odd/SKILL.md': skillText('odd', 'description: x\nmodel: any'),
        'skills/bad/SKILL.md': '---\nname: Bad\n---\n',
        'skills/none/README.md': '',
      }),
    );
    expect(await checkSkills([], { agentsDir: 'agents' }, io)).toBe(2);
    expect([io.out, io.err]).toEqual([
      'good: ok\nodd: ok\n',
      'Error: skills/bad/SKILL.md:1:1: description is missing: add a line "description: …" to the front matter\n' +
        'Error: skills/bad/SKILL.md:2:7: name "Bad" is none: use 1 to 64 small letters (a to z), digits and single hyphens, such as "pdf-forms"\n' +
        'Warning: skills/odd/SKILL.md:4:8: key "model" has no effect: it is not one of skills\n',
    ]);
  });

  it.each([
    ['keys', Array.from({ length: 30_000 }, (_, index) => `k${index}: x`).join('\n')],
    ['lists within each other', `name: ${'['.repeat(100_000)}`],
  ])('reads no front matter that nobody has written by hand: many %s', async (_, written) => {
    const io = recordedIo(await tempFolder({ 'skills/x/SKILL.md': `---\n${written}\n---\n` }));
    await listSkills({ agentsDir: 'agents' }, io);
    expect(await checkSkills([], { agentsDir: 'agents' }, io)).toBe(2);
    expect([io.out, io.err]).toEqual([
      'x\n',
      `Error: skills/x/SKILL.md:1:1: the front matter has ${written.length + 1} characters, at most 10000 are allowed: move the rest into the text below\n`,
    ]);
  });

  it('looks at the folders that are named: a skill, or a folder of skills', async () => {
    const io = recordedIo(
      await tempFolder({
        'a/b/SKILL.md': skillText('b'),
        'a/c/SKILL.md': skillText('c'),
        empty: emptyFolder,
      }),
    );
    expect(await checkSkills(['a/c', 'a'], {}, io)).toBe(0);
    expect([io.out, io.err]).toEqual(['c: ok\nb: ok\nc: ok\n', '']);
    await expect(checkSkills(['empty'], {}, io)).rejects.toThrow(/^no folder .*\/empty\/\* has a SKILL\.md$/);
  });

  it('says that there are none', async () => {
    const io = recordedIo(await tempFolder({}));
    expect(await checkSkills([], { agentsDir: 'agents' }, io)).toBe(0);
    expect(io.err).toBe(`no skills in ${io.cwd}/skills; a skill is a folder with a SKILL.md\n`);
  });
});

describe('skills add', () => {
  const collection = Object.fromEntries(
    Object.entries(COLLECTION).map(([path, content]) => [`shared/${path}`, content]),
  );

  it('copies a skill beside the agents, without links out of it and hidden files', async () => {
    const io = recordedIo(
      await tempFolder({ ...collection, 'shared/pdf-forms/linked.md': { linkTo: '../quoted/SKILL.md' } }),
    );
    expect(await addSkills('shared/pdf-forms', {}, io)).toBe(0);
    expect([io.out, io.err]).toEqual(['skills/pdf-forms\n', '']);
    expect(Object.keys(await contentOf(`${io.cwd}/skills/pdf-forms`))).toEqual([
      '',
      'LICENSE.txt',
      'SKILL.md',
      'references',
      'references/rules.md',
      'scripts',
      'scripts/fields.py',
    ]);
  });

  it('copies all in a folder, and once more changes nothing', async () => {
    const io = recordedIo(await tempFolder(collection));
    expect(await addSkills('shared', {}, io)).toBe(0);
    expect(await addSkills('shared', {}, io)).toBe(0);
    expect(await checkSkills([], {}, io)).toBe(0);
  });

  it('overwrites nothing unless it is told to', async () => {
    const io = recordedIo(await tempFolder({ ...collection, 'skills/quoted/SKILL.md': skillText('quoted') }));
    await expect(addSkills('shared/quoted', {}, io)).rejects.toThrow(
      'files are there already, with other content: skills/quoted/SKILL.md; --force overwrites them',
    );
    expect(await addSkills('shared/quoted', { force: true }, io)).toBe(0);
  });

  it('copies none of them if one is wrong, and nothing out of a folder without skills', async () => {
    const io = recordedIo(
      await tempFolder({
        'a/good/SKILL.md': skillText('good'),
        'a/bad/SKILL.md': skillText('other'),
        b: emptyFolder,
      }),
    );
    expect(await addSkills('a', {}, io)).toBe(2);
    expect(io.err).toBe(
      'Error: a/bad/SKILL.md:2:7: name "other" is not that of its folder, "bad": give both the same\n',
    );
    await expect(addSkills('b', {}, io)).rejects.toThrow(/has a SKILL\.md$/);
    await expect(showSkill('good', {}, io)).rejects.toThrow('skill not found');
  });
});
