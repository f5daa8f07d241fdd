import { describe, expect, test } from 'vitest';
import { COLLECTION, skillText } from '../../fixtures/skills.ts';
import { answer, openQuestions } from '../../fixtures/questions.ts';
import { call, openStage, use, type Role } from '../../fixtures/stage.ts';

const collection = Object.fromEntries(
  Object.entries(COLLECTION).map(([path, content]) => [`skills/${path}`, content]),
);

const load = (name: string) => use('use_skill', { name });
const read = (name: string, path: string, more = {}) => use('read_skill_file', { name, path, ...more });

/** Makes calls, turn by turn, and answers with the results of the last ones. */
const making =
  (...turns: ReturnType<typeof use>[][]): Role =>
  ({ turn, results }) =>
    turns[turn - 1] ?? results.join('\n---\n');

async function stageWith(
  keys: string,
  top: Role,
  files: Parameters<typeof openStage>[2] = collection,
  roles: Record<string, Role> = {},
) {
  return openStage({ top, ...roles }, { top: keys }, files);
}

describe('use_skill', () => {
  test('gives the instructions of a skill and the list of its other files', async () => {
    const stage = await stageWith('skills = ["skills/*"]', making([load('pdf-forms'), load('windows-made')]));
    expect((await stage.run()).out).toBe(
      '# Forms\n\nList the fields with scripts/fields.py, and see [the rules](references/rules.md).\n\n' +
        'Its other files:\n- LICENSE.txt\n- references/rules.md\n- scripts/fields.py' +
        '\n---\n# windows-made',
    );
    const { system = '', tools = [] } = stage.asked[0]?.request ?? {};
    // Every word is a part of the prompt.
    const name = { type: 'string', description: 'Name of the skill' };
    expect(tools).toEqual([
      {
        name: 'read_skill_file',
        description:
          'Read a text file of a skill. Returns its lines as "N: text", as many as read_file does; a note at the end says how to continue.',
        parameters: {
          type: 'object',
          properties: {
            name,
            path: { type: 'string', description: "Path of the file, relative to the skill's folder" },
            offset: { type: 'integer', description: 'Number of the first line to read, from 1' },
            limit: { type: 'integer', description: 'How many lines to read, at most 2,000' },
          },
          required: ['name', 'path'],
        },
      },
      {
        name: 'use_skill',
        description:
          'Load a skill: returns its instructions, and the list of its other files, which read_skill_file reads. Load it before you begin the work that it is for.',
        parameters: { type: 'object', properties: { name }, required: ['name'] },
      },
    ]);
    expect(system).toContain('\n\n---\n\n## Skills\n\nInstructions for certain kinds of work.');
    expect(system).toContain('\n- quoted: Use when: it\'s "time" # really\n');
    expect(system).not.toContain('List the fields');
  });

  test('names the folder to an agent that runs commands, which finds its scripts there', async () => {
    const stage = await stageWith(
      'skills = ["pdf-forms"]\ntools = ["run_command"]\nworkdir = "work"',
      ({ turn, results: [text = ''] }) => {
        const folder = /Its folder, for run_command: (.*)$/.exec(text)?.[1];
        if (turn === 1) return [load('pdf-forms')];
        return turn === 2 ? [use('run_command', { command: `cat ${folder}/scripts/fields.py` })] : text;
      },
      { ...collection, 'work/x': '' },
    );
    expect((await stage.run()).out).toBe('print("name")\n[exit code 0]');
  });

  test('says how to read on where the instructions are too long to be shown at once', async () => {
    const stage = await stageWith('skills = ["handbook"]', ({ turn, results: [text = ''] }) => {
      if (turn === 1) return [load('handbook')];
      const offset = Number(
        /\(it goes on: read_skill_file with path "SKILL.md" and offset (\d+)\)$/.exec(text)?.[1],
      );
      const shown = text.split('\n').length - 1;
      if (turn === 2) return [read('handbook', 'SKILL.md', { offset: offset - 1, limit: 2 })];
      return `${shown} ${text}`;
    });
    expect((await stage.run()).out).toMatch(
      /^\d+ (\d+): A line of the handbook\.\n\d+: A line of the handbook\.\n\(lines \d+ to \d+ of 2005; continue with offset \d+\)$/,
    );
  });

  test('and read_skill_file say what they cannot do', async () => {
    const stage = await stageWith(
      'skills = ["pdf-forms", "empty"]',
      making([
        load('pdf-form'),
        load('../pdf-forms'),
        use('use_skill', {}),
        load('empty'),
        read('plain-notes', 'SKILL.md'),
        read('pdf-forms', 'references/none.md'),
        read('pdf-forms', 'references'),
        read('pdf-forms', '../plain-notes/SKILL.md'),
        read('pdf-forms', '/etc/passwd'),
        read('pdf-forms', '.DS_Store'),
        read('pdf-forms', 'scripts/__pycache__/fields.pyc'),
        read('pdf-forms', 'linked.md'),
        read('pdf-forms', 'linked/agents/top.toml'),
      ]),
      {
        ...collection,
        'skills/empty/SKILL.md': skillText('empty', 'description: Nothing.', '\n'),
        'skills/pdf-forms/linked.md': { linkTo: '../plain-notes/SKILL.md' },
        'skills/pdf-forms/linked': { linkTo: '../..' },
      },
    );
    expect((await stage.run()).out.split('\n---\n')).toEqual([
      'Error: there is no skill "pdf-form"; did you mean "pdf-forms"?',
      'Error: there is no skill "../pdf-forms"; did you mean "pdf-forms"?',
      'Error: argument "name" is required',
      'Error: the skill has no instructions: its SKILL.md has no text',
      'Error: there is no skill "plain-notes"; there are pdf-forms, empty',
      'Error: there is no file or folder "references/none.md"',
      'Error: "references" is a folder, not a file',
      'Error: path "../plain-notes/SKILL.md" is outside the skill',
      'Error: path "/etc/passwd" is outside the skill',
      'Error: ".DS_Store" is no file that may be read',
      'Error: "scripts/__pycache__/fields.pyc" is no file that may be read',
      'Error: path "linked.md" is outside the skill',
      'Error: path "linked/agents/top.toml" is outside the skill',
    ]);
  });

  test('does not show what a rule keeps from being read, and lists no file that a link leads out to', async () => {
    const stage = await stageWith(
      'skills = ["pdf-forms"]\npermissions.deny = ["read_file(skills/pdf-forms/scripts/**)"]',
      making([load('pdf-forms'), read('pdf-forms', 'scripts/fields.py'), read('pdf-forms', 'LICENSE.txt')]),
      { ...collection, 'skills/pdf-forms/linked.md': { linkTo: '../plain-notes/SKILL.md' } },
    );
    const [listed, ...others] = (await stage.run()).out.split('\n---\n');
    expect(listed).toContain('Its other files:\n- LICENSE.txt\n- references/rules.md\n- scripts/fields.py');
    expect(others).toEqual([
      'Error: "scripts/fields.py" is no file that may be read',
      '1: Apache License 2.0',
    ]);
  });

  test('is taken away by a rule, and the catalogue with it', async () => {
    const stage = await stageWith('skills = ["pdf-forms"]\npermissions.deny = ["use_skill"]', () => 'ok');
    await stage.run();
    const { system, tools = [] } = stage.asked[0]?.request ?? {};
    expect([system, tools.map(({ name }) => name)]).toEqual(['', ['read_skill_file']]);
  });

  test("gives way to a function of the user's own", async () => {
    const stage = await stageWith(
      'skills = ["pdf-forms"]\n[[functions]]\nname = "use_skill"\ndescription = "Mine."\nfile = "f.mjs"',
      making([use('use_skill', {})]),
      { ...collection, 'f.mjs': "export const handler = () => 'mine';" },
    );
    expect((await stage.run()).out).toBe('mine');
    expect(stage.asked[0]?.request.system).toBe('');
  });

  test('reads a skill as it is when it is loaded, and knows none that is gone', async () => {
    const { rm, writeFile } = await import('node:fs/promises');
    const stage = await stageWith('skills = ["plain-notes", "quoted"]', async ({ turn, results }) => {
      if (turn > 1) return results.join('\n---\n');
      await writeFile(
        `${stage.cwd}/skills/plain-notes/SKILL.md`,
        skillText('plain-notes', 'description: x', 'New.'),
      );
      await rm(`${stage.cwd}/skills/quoted`, { recursive: true });
      return [load('plain-notes'), load('quoted')];
    });
    const { out } = await stage.run();
    expect(out).toMatch(/^New\.\n---\nError: there is no file or folder "SKILL.md"$/);
  });
});

describe('an agent whose skill names its tools', () => {
  const TOOLS = 'tools = ["files", "run_command", "sub_agent"]\nsub_agents = ["kid"]\n';
  const limited = (tools: string) => ({
    'skills/a/SKILL.md': skillText('a', `description: d\nallowed-tools: ${tools}`),
    'skills/b/SKILL.md': skillText('b', 'description: d\nallowed-tools: Read Write'),
    'docs/x.txt': 'x',
    'y.txt': 'y',
  });
  const no = (tool: string, skill = 'a') =>
    `Permission denied: "${tool}" is not among the allowed-tools of the skill "${skill}".`;

  test('uses no others once it has loaded it', async () => {
    const stage = await stageWith(
      `${TOOLS}skills = ["a"]`,
      making(
        [load('a')],
        [
          use('read_file', { path: 'docs/x.txt' }),
          use('read_file', { path: 'y.txt' }),
          use('list_directory', {}),
          use('run_command', { command: 'echo 1' }),
          use('run_command', { command: 'echo 1; ls' }),
          call('kid', 'go'),
          use('sub_agent', { task: 'go' }),
          read('a', 'SKILL.md', { limit: 1 }),
        ],
      ),
      limited('Read(docs/**) Bash(echo:*)'),
      { kid: () => 'kid' },
    );
    expect((await stage.run()).out.split('\n---\n')).toEqual([
      '1: x',
      no('read_file'),
      no('list_directory'),
      '1\n[exit code 0]',
      no('run_command'),
      no('call_agent'),
      no('sub_agent'),
      '1: ---\n(lines 1 to 1 of 7; continue with offset 2)',
    ]);
  });

  test('is held to all that it has loaded', async () => {
    const stage = await stageWith(
      `${TOOLS}skills = ["a", "b"]`,
      making(
        [load('a')],
        [load('b')],
        [
          use('read_file', { path: 'y.txt' }),
          use('write_file', { path: 'z.txt', content: 'z' }),
          use('run_command', { command: 'ls' }),
        ],
      ),
      limited('Read Bash'),
    );
    expect((await stage.run()).out.split('\n---\n')).toEqual([
      '1: y',
      no('write_file'),
      no('run_command', 'b'),
    ]);
  });

  test('has no tool by it', async () => {
    const stage = await stageWith(
      'tools = ["files:read"]\nskills = ["b"]',
      making([load('b')], [use('write_file', { path: 'z', content: '' })]),
      limited(''),
    );
    expect((await stage.run()).out).toBe('Unknown tool: "write_file"');
  });

  test('passes its limits on to copies of itself', async () => {
    const stage = await stageWith(
      `${TOOLS}skills = ["a"]`,
      ({ turn, results, message }) => {
        const isCopy = message === 'copy';
        if (isCopy) return turn === 1 ? [use('write_file', { path: 'z', content: '' })] : results.join();
        return [[load('a')], [use('sub_agent', { prompt: 'copy' })]][turn - 1] ?? results.join('\n---\n');
      },
      limited('Read sub_agent'),
    );
    expect((await stage.run()).out).toContain(no('write_file'));
  });

  test('passes its limits on to a copy whose task a person has changed', async () => {
    const stage = await stageWith(
      `${TOOLS}skills = ["a"]\npermissions = { ask = ["sub_agent"] }\n`,
      ({ turn, results, message }) => {
        if (message === 'copy')
          return turn === 1 ? [use('write_file', { path: 'z', content: '' })] : results.join();
        return [[load('a')], [use('sub_agent', { prompt: 'x' })]][turn - 1] ?? results.join('\n---\n');
      },
      limited('Read sub_agent'),
    );
    const ended = stage.run();
    const [open] = await openQuestions(stage.pipeline.store, 1);
    if (open === undefined) throw new Error('nothing is asked');
    await answer(stage.cwd, open, 'approve', 'ann', { prompt: 'copy' });
    expect((await ended).out).toContain(no('write_file'));
  });
});
