import { describe, expect, test } from 'vitest';
import { loadAgent } from '../../../src/core/agent-schema/load-agent.ts';
import { openAgentFolders } from '../../../src/authoring/loading/folders/agent-folders.ts';
import { checkAgents } from '../../../src/doors/cli/commands/check-agents.ts';
import { openStage } from '../../fixtures/stage.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const HEAD = 'name = "x"\nmodel = "openai/gpt-5.1"\n\n';
const NAMED = '[[functions]]\nname = "f"\ndescription = "d"\n';

async function load(text: string) {
  const cwd = await tempFolder({ 'agents/x.toml': `${HEAD}${text}` });
  return loadAgent('x', openAgentFolders({ cwd, env: {}, agentsDir: 'agents' }));
}

describe('[[functions]] of an agent file', () => {
  test('have defaults for all that they leave out', async () => {
    const { agent, warnings } = await load(`${NAMED}file = "tools/./f.ts"`);
    expect(warnings).toEqual([]);
    expect(agent.functions).toEqual([
      {
        name: 'f',
        description: 'd',
        parameters: { type: 'object', properties: {} },
        target: {
          kind: 'function',
          source: { file: 'tools/f.ts' },
          seconds: 30,
          isRepeatable: true,
          writes: true,
        },
      },
    ]);
  });

  test('keep their variables as they are written', async () => {
    const { agent, warnings } = await load(`${NAMED}file = "f.ts"\nenv = { A = "b", TOKEN = "x \${T}" }`);
    expect(warnings).toEqual([]);
    expect(agent.functions[0]?.target.source).toEqual({
      file: 'f.ts',
      env: { A: 'b', TOKEN: 'x ${T}' },
    });
  });

  test.each(
    'agents call_agent final_answer fork grep kill mail mail_x mcp__x run_command spawn_agent wait'.split(
      ' ',
    ),
  )('have none of the names of Cadre: %s', async (name) => {
    await expect(load(`[[functions]]\nname = "${name}"\ndescription = "d"\nfile = "a"`)).rejects.toThrow(
      '5:8: functions[0].name is the name of a built-in tool',
    );
  });

  test('keep their parameters as they are written', async () => {
    const schema =
      '{ type = "object", properties = { max_depth = { enum = [1, 2.5, "x"] } }, "$defs" = { a_b = {} } }';
    const { agent } = await load(`${NAMED}function = "f"\nparameters = ${schema}`);
    expect(agent.functions[0]?.parameters).toEqual({
      type: 'object',
      properties: { max_depth: { enum: [1, 2.5, 'x'] } },
      $defs: { a_b: {} },
    });
  });

  test.each([
    ['name = "f"\ndescription = "d"', '4:3: functions[0] takes exactly one of function and file'],
    [
      'name = "f"\ndescription = "d"\nfile = "a"\nfunction = "b"',
      '4:3: functions[0] takes exactly one of function and file',
    ],
    ['description = "d"\nfile = "a"', '4:3: agent config missing required field: functions[0].name'],
    ['name = "f"\nfile = "a"', '4:3: agent config missing required field: functions[0].description'],
    [
      'name = "1f"\ndescription = "d"\nfile = "a"',
      '5:8: functions[0].name must begin with a letter and have up to 64 letters, digits, _ and -',
    ],
    ['name = "grep"\ndescription = "d"\nfile = "a"', '5:8: functions[0].name is the name of a built-in tool'],
    [
      'name = "mcp__a"\ndescription = "d"\nfile = "a"',
      '5:8: functions[0].name is the name of a built-in tool',
    ],
    [
      'name = "f"\ndescription = "d"\nfile = "../a.ts"',
      '7:8: functions[0].file must be a path below the folder that contains agents/',
    ],
    [
      'name = "f"\ndescription = "d"\nfile = "a/../../b.ts"',
      '7:8: functions[0].file must be a path below the folder that contains agents/',
    ],
    [
      'name = "f"\ndescription = "d"\nfunction = "a b"',
      '7:12: functions[0].function must be the name or the ARN of a Lambda function',
    ],
    [
      'name = "f"\ndescription = "d"\nfile = "a"\nparameters = { type = "string" }',
      '8:14: functions[0].parameters must be a JSON Schema with type = "object", and without dates',
    ],
    [
      'name = "f"\ndescription = "d"\nfile = "a"\nparameters = { type = "object", x = 2020-01-01 }',
      '8:14: functions[0].parameters must be a JSON Schema with type = "object", and without dates',
    ],
    [
      'name = "f"\ndescription = "d"\nfile = "a"\ntimeout = 841',
      '8:11: functions[0].timeout cannot exceed 840',
    ],
    [
      'name = "f"\ndescription = "d"\nfunction = "f"\nenv = { A = "b" }',
      '8:7: functions[0].env is for a function with a file',
    ],
    [
      'name = "f"\ndescription = "d"\nfile = "a"\nenv = { "A-B" = "c" }',
      '8:17: functions[0].env.A-B is not the name of a variable',
    ],
    [
      'name = "f"\ndescription = "d"\nfile = "a"\nenv = { TOKEN = "canary" }',
      '8:17: functions[0].env.TOKEN looks like a secret: write ${NAME}, and keep the value in the environment or in [secrets] of config.toml',
    ],
    [
      'name = "f"\ndescription = "d"\nfile = "a"\nenv = { A = "${AWS_PROFILE}" }',
      '8:13: functions[0].env.A takes ${AWS_PROFILE}, which is for models and AWS and is given to no function: keep the value under another name',
    ],
    [
      'name = "f"\ndescription = "d"\nfile = "a"\n[[functions]]\nname = "f"\ndescription = "e"\nfile = "b"',
      '9:8: functions[1].name "f" is given twice',
    ],
  ])('%j are refused', async (text, complaint) => {
    await expect(load(`[[functions]]\n${text}`)).rejects.toMatchObject({
      name: 'ConfigError',
      message: `agents/x.toml:${complaint}`,
    });
  });

  test.each([
    ['[functions]\nname = "f"', '4:2: functions must be an array of tables, got a table'],
    ['functions = ["f"]', '4:14: functions[0] must be a table, got "f"'],
    [`${NAMED}file = "a"\nenv = { A = 1 }`, '8:13: functions[0].env.A must be a string, got 1'],
    [`${NAMED}file = 1`, '7:8: functions[0].file must be a string, got 1'],
    [`${NAMED}file = "a"\nenv = []`, '8:7: functions[0].env must be a table, got []'],
    [`${NAMED}file = "a"\nenv = ["x"]`, '8:7: functions[0].env must be a table, got ["x"]'],
    [`${NAMED}file = "a"\nparameters = "x"`, '8:14: functions[0].parameters must be a table, got "x"'],
  ])('%j are of the wrong type', async (text, complaint) => {
    await expect(load(text)).rejects.toMatchObject({
      message: `failed to parse agent config "x": agents/x.toml:${complaint}`,
    });
  });

  test('are refused with keys that are not known', async () => {
    await expect(load(`${NAMED}file = "a"\ntimeuot = 1`)).rejects.toThrow(
      'agents/x.toml:8:1: unknown key "functions[0].timeuot", did you mean "functions.timeout"?',
    );
  });

  test('are checked with the modules that they name', async () => {
    const io = recordedIo(
      await tempFolder({
        'agents/x.toml': `${HEAD}${NAMED}file = "tools/gone.ts"\n[[functions]]\nname = "g"\ndescription = "d"\nfile = "g.ts"\n`,
        'g.ts': 'export const handler = () => 1;',
      }),
    );
    await checkAgents([], {}, io);
    expect(io.err).toBe('Error: agents/x.toml:7:8: module tools/gone.ts: not found\n');
  });

  test.each([
    'git_diff',
    'git_log',
    'list_agents',
    'memory_forget',
    'memory_save',
    'memory_search',
    'read_skill_file',
    'use_skill',
    'web_search',
  ])('may be called %s, as they were before there was such a tool', async (name) => {
    const io = recordedIo(
      await tempFolder({
        'agents/x.toml': `${HEAD}[[functions]]\nname = "${name}"\ndescription = "d"\nfile = "f.mjs"\n`,
        'f.mjs': 'export const handler = () => 1;',
      }),
    );
    expect(await checkAgents([], {}, io)).toBe(0);
    expect(io.err).toBe(
      `Warning: agents/x.toml:5:8: function "${name}" takes the place of the built-in tool of that name\n`,
    );
  });

  test('take the place of a tool that is younger', async () => {
    const stage = await openStage(
      { top: () => 'done' },
      {
        top: `tools = ["git_diff", "git_log"]\n[[functions]]\nname = "git_diff"\ndescription = "Mine."\nfile = "f.mjs"\n`,
      },
      Object.fromEntries(
        ['objects/info', 'objects/pack', 'refs/heads'].map((folder) => [`.git/${folder}/none`, '']),
      ),
    );
    await stage.run();
    const { tools = [] } = stage.asked[0]?.request ?? {};
    expect(tools.map(({ name, description }) => [name, description === 'Mine.'])).toEqual([
      ['git_diff', true],
      ['git_log', false],
    ]);
  });
});
