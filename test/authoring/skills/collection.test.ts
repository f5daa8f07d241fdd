import { describe, expect, test } from 'vitest';
import { openAgentFolders } from '../../../src/authoring/loading/folders/agent-folders.ts';
import { loadAgent } from '../../../src/core/agent-schema/load-agent.ts';
import { catalogueOf } from '../../../src/core/agent-schema/skill.ts';
import { COLLECTION, skillText } from '../../fixtures/skills.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const agent = (keys: string) => `name = "x"\nmodel = "m/x"\n${keys}\n`;

/** The collection in a folder. */
const collectionIn = (folder: string) =>
  Object.fromEntries(Object.entries(COLLECTION).map(([path, content]) => [`${folder}/${path}`, content]));

async function skillsOf(keys: string, files: Parameters<typeof tempFolder>[0]) {
  const cwd = await tempFolder({ 'agents/x.toml': agent(keys), ...files });
  const source = openAgentFolders({ cwd, env: {}, agentsDir: 'agents' });
  return (await source.skills?.(await loadAgent('x', source))) ?? [];
}

describe('skills in the shapes of public collections', () => {
  test('are all read, whatever their front matter looks like', async () => {
    const skills = await skillsOf('skills = ["skills/*"]', collectionIn('skills'));
    expect(skills.length).toBeGreaterThanOrEqual(20);
    expect(
      Object.fromEntries(skills.map(({ name, description }) => [name, description.slice(0, 80)])),
    ).toEqual({
      'brand-colours': 'Our colours and fonts.',
      'byte-order': 'Begins with a byte order mark.',
      'cloud-api': 'How to call our API.',
      'comma-tools': 'x',
      dashes: 'Draws rules.',
      folded: 'Goes over two lines. And a paragraph.',
      'foreign-keys': 'x',
      handbook: 'All there is to know.',
      'listed-tools': 'x',
      literal: 'One. - Two.',
      'long-winded': `Keeps minutes. ${'Use it after every meeting. '.repeat(3)}`.slice(0, 80),
      'no-tools': 'x',
      'own-tools': 'x',
      'pdf-forms': 'Fills in forms in PDF files. Use when a form has to be filled in.',
      'plain-notes': 'Takes notes.',
      quoted: 'Use when: it\'s "time" # really',
      'spaced-tools': 'x',
      translation: '翻訳します。 Übersetzt, 🌍 everywhere.',
      'windows-made': 'Ends its lines as Windows does.',
      wrapped: 'Begins here and goes on there.',
    });
  });

  test("name their tools as Claude Code does, or as Cadre does, and become rules of Cadre's", async () => {
    const skills = await skillsOf('skills = ["skills/*-tools"]', collectionIn('skills'));
    const own = ['read_skill_file', 'use_skill'];
    expect(Object.fromEntries(skills.map(({ name, allowedTools }) => [name, allowedTools]))).toEqual({
      'comma-tools': ['read_file', 'write_file', 'call_agent', 'mcp__github__*', 'mcp__docs__search', ...own],
      'listed-tools': [
        'run_command(npm test)',
        'edit_file(src/**)',
        'fetch_url(*://docs.example.com/*)',
        'fetch_url(*://docs.example.com:*)',
        ...own,
      ],
      'no-tools': own,
      'own-tools': ['read_file', 'run_command(make *)', ...own],
      'spaced-tools': ['read_file', 'grep', 'run_command(git add *)', 'run_command(git status *)', ...own],
    });
  });

  test('are found by name, by path and by pattern, each once, in the order of the list', async () => {
    const skills = await skillsOf('skills = ["quoted", "team/*/fo*", "skills/quoted", "agents/near"]', {
      ...collectionIn('skills'),
      ...collectionIn('team/writing'),
      'team/.hidden/foe/SKILL.md': skillText('foe'),
      'agents/near/SKILL.md': skillText('near'),
    });
    expect(skills.map(({ name, folder }) => [name, folder])).toEqual([
      ['quoted', 'skills/quoted'],
      ['folded', 'team/writing/folded'],
      ['foreign-keys', 'team/writing/foreign-keys'],
      ['near', 'agents/near'],
    ]);
  });

  test('are a catalogue of one line each, and none where there are none', async () => {
    const skills = await skillsOf('skills = ["folded", "plain-notes"]', collectionIn('skills'));
    expect([catalogueOf(skills), catalogueOf([])]).toEqual([
      'Instructions for certain kinds of work. Before you begin such work, load them with use_skill.\n\n' +
        '- folded: Goes over two lines. And a paragraph.\n- plain-notes: Takes notes.',
      '',
    ]);
  });
});

describe('a skill cannot be used', () => {
  const place = 'skills/s/SKILL.md';
  const long = 'x'.repeat(1_025);

  test.each<[string, string, string]>([
    [
      'without front matter',
      '# S\n',
      '1:1: there is no front matter: begin the file with a line ---, the keys name and description, and another line ---',
    ],
    [
      'with front matter that has no end',
      '---\nname: s\ndescription: d\n',
      '1:1: the front matter has no end: put a line --- behind its keys',
    ],
    [
      'with front matter that is not YAML',
      '---\nname: s\ndescription: Use when: asked\n---\n',
      '3:14: the front matter is not YAML: put a value with a colon, a quotation mark or a special character at its start between quotation marks',
    ],
    [
      'with a key that is given twice',
      '---\nname: s\nname: s\n---\n',
      '3:1: the key is given twice: leave one out',
    ],
    [
      'with a list for front matter',
      '---\n- s\n---\n',
      '2:1: the front matter must have a line "key: value" for each key',
    ],
    [
      'with an alias for nothing',
      '---\nname: s\ndescription: *x\n---\n',
      '2:1: the front matter must have a line "key: value" for each key',
    ],
    [
      'without a name',
      '---\ndescription: d\n---\n',
      '1:1: name is missing: add a line "name: …" to the front matter',
    ],
    [
      'without a description',
      '---\nname: s\n---\n',
      '1:1: description is missing: add a line "description: …" to the front matter',
    ],
    [
      'with an empty description',
      '---\nname: s\ndescription:\n---\n',
      '3:13: description is empty: say what the skill is for, and when to use it',
    ],
    [
      'with a description that is too long',
      `---\nname: s\ndescription: ${long}\n---\n`,
      '3:14: description has 1025 characters, at most 1024 are allowed: move the rest into the text below',
    ],
    ...['S', '-s', 's-', 's--s', 's_s', 'é', 's'.repeat(65)].map((name): [string, string, string] => [
      `that is called ${name}`,
      skillText(`"${name}"`),
      `2:7: name "${name}" is none: use 1 to 64 small letters (a to z), digits and single hyphens, such as "pdf-forms"`,
    ]),
    [
      'with another name than its folder',
      skillText('t'),
      '2:7: name "t" is not that of its folder, "s": give both the same',
    ],
    [
      'with a number for a description',
      '---\nname: s\ndescription: 1\n---\n',
      '3:14: description must be a text: put it between quotation marks',
    ],
    [
      'with a list for a license',
      skillText('s', 'description: d\nlicense: [MIT]'),
      '4:10: license must be a text: put it between quotation marks',
    ],
    [
      'that asks for too much in too many words',
      skillText('s', `description: d\ncompatibility: ${'y'.repeat(501)}`),
      '4:16: compatibility has 501 characters, 1 to 500 are allowed: shorten it or leave it out',
    ],
    [
      'with metadata that is a text',
      skillText('s', 'description: d\nmetadata: none'),
      '4:11: metadata must be a table: a line "key: value" for each entry',
    ],
    [
      'with tools that are a table',
      skillText('s', 'description: d\nallowed-tools: { read: true }'),
      '4:16: allowed-tools must be a text with spaces between tools, or a list of tools',
    ],
    [
      'with tools that are none',
      skillText('s', 'description: d\nallowed-tools: Read )('),
      '4:16: allowed-tools has ")(", which is no tool: write a tool, or a tool with a pattern, such as Bash(git status:*)',
    ],
  ])('%s', async (_, text, complaint) => {
    await expect(skillsOf('skills = ["s"]', { [place]: text })).rejects.toMatchObject({
      name: 'ConfigError',
      message: `${place}:${complaint}`,
    });
  });

  test('in lines that end as on Windows: its faults are where they are', async () => {
    const text = skillText('t').replaceAll('\n', '\r\n');
    await expect(skillsOf('skills = ["s"]', { [place]: `\uFEFF${text}` })).rejects.toThrow(
      `${place}:2:7: name "t"`,
    );
  });

  test('that is a link out of its folder, too large, or a folder', async () => {
    const load = (entry: Parameters<typeof tempFolder>[0]) => skillsOf('skills = ["s"]', entry);
    await expect(load({ [place]: { linkTo: '../../agents/x.toml' } })).rejects.toThrow(
      `${place}:1:1: it is a link that leads out of its folder`,
    );
    await expect(load({ [place]: skillText('s', 'description: d', 'x'.repeat(1_000_000)) })).rejects.toThrow(
      /^skills\/s\/SKILL\.md:1:1: it has \d+ bytes, at most 1000000 are allowed: move parts of it to files beside it$/,
    );
    await expect(load({ [place]: { folder: true } })).rejects.toThrow(`${place}:1:1: "SKILL.md" is a folder`);
  });

  test('that is not there, and of two with one name', async () => {
    await expect(skillsOf('skills = ["s"]', {})).rejects.toThrow(
      /^skill not found: .*\/skills\/s\/SKILL\.md$/,
    );
    await expect(skillsOf('skills = ["no/*"]', {})).rejects.toThrow(/^no folder .*\/no\/\* has a SKILL\.md$/);
    const two = { 'skills/s/SKILL.md': skillText('s'), 'team/s/SKILL.md': skillText('s') };
    await expect(skillsOf('skills = ["s", "team/*"]', two)).rejects.toThrow(
      'two skills are called "s": skills/s and team/s',
    );
  });

  test.each([
    ['["a/**"]', '3:11: skills[0] "a/**" goes to any depth: write a * for each folder'],
    ['["a/SKILL.md"]', '3:11: skills[0] "a/SKILL.md" is a file: name its folder'],
    ['["x", " "]', '3:16: skills[1] is empty: name a skill'],
  ])('that the agent lists as %s', async (listed, complaint) => {
    await expect(skillsOf(`skills = ${listed}`, {})).rejects.toThrow(`agents/x.toml:${complaint}`);
  });
});

test('a list of skills is no list of files: links and other files beside skills are left out', async () => {
  const skills = await skillsOf('skills = ["skills/*"]', {
    'skills/README.md': 'About.',
    'skills/drafts/idea.md': 'Not yet.',
    'skills/a/SKILL.md': skillText('a'),
    'shared/b/SKILL.md': skillText('b'),
    'skills/b': { linkTo: '../shared/b' },
  });
  expect(skills.map(({ name, folder }) => [name, folder])).toEqual([
    ['a', 'skills/a'],
    ['b', 'skills/b'],
  ]);
});
