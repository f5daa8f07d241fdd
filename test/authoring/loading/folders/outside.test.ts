import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadAgent } from '../../../../src/core/agent-schema/load-agent.ts';
import { openAgentFolders } from '../../../../src/authoring/loading/folders/agent-folders.ts';
import {
  createFindOutside,
  createFindStoredOutside,
  keepInside,
} from '../../../../src/authoring/loading/folders/outside.ts';
import { toolServer } from '../../../fixtures/tool-server.ts';
import { emptyFolder, tempFolder } from '../../../fixtures/temp-folder.ts';

const top = (keys: string) => `name = "top"\nmodel = "m/x"\n${keys}\n`;

interface Layout {
  /** Below the folder of everything: `home/.config/cadre` is the user's, `project` where the command runs. */
  files: Parameters<typeof tempFolder>[0];
  agentsDir?: string;
  trusted?: string[];
}

/** The links of an agent named top, as `<file>:<line>:<column>: <key> … to <folder>`, all below the root. */
async function outsideOf({ files, agentsDir, trusted = [] }: Layout) {
  const root = await tempFolder({ 'project/x': '', 'secret/SKILL.md': 's', ...files });
  const env = { XDG_CONFIG_HOME: join(root, 'home/.config') };
  const options = { cwd: join(root, 'project'), env, ...(agentsDir !== undefined && { agentsDir }) };
  const source = openAgentFolders(options);
  const findOutside = createFindOutside(
    options,
    trusted.map((each) => join(root, each)),
  );
  const found = await findOutside(await loadAgent('top', source));
  return found.map((line) => line.replaceAll(`${root}/`, '').replace(/;.*/, ''));
}

describe('an agent of a project is told of', () => {
  test.each<[string, string, Record<string, { linkTo: string }>, string]>([
    [
      'an absolute workdir',
      'workdir = "/etc"',
      {},
      '3:11: workdir "/etc" leads out of the project, to "/etc"',
    ],
    [
      'a workdir above',
      'workdir = "../secret"',
      {},
      '3:11: workdir "../secret" leads out of the project, to "secret"',
    ],
    [
      'one that is not there',
      'workdir = "../no"',
      {},
      '3:11: workdir "../no" leads out of the project, to "no"',
    ],
    [
      'a link for a workdir',
      'workdir = "docs"',
      { 'project/docs': { linkTo: '../secret' } },
      '3:11: workdir "docs" leads out of the project, to "secret"',
    ],
    [
      'a link to what is not there yet',
      'workdir = "docs"',
      { 'project/docs': { linkTo: '../no' } },
      '3:11: workdir "docs" leads out of the project, to "no"',
    ],
    [
      'a folder below a link',
      'workdir = "docs/secret"',
      { 'project/docs': { linkTo: '..' } },
      '3:11: workdir "docs/secret" leads out of the project, to "secret"',
    ],
    [
      'a skill above',
      'skill = "../secret/SKILL.md"',
      {},
      '3:9: skill "../secret/SKILL.md" leads out of the project, to "secret/SKILL.md"',
    ],
    [
      'a link for a skill',
      'skill = "one"',
      { 'project/skills/one': { linkTo: '../../secret' } },
      '3:9: skill "one" leads out of the project, to "secret/SKILL.md"',
    ],
    [
      'the folder of a server',
      '[[mcp_servers]]\nname = "docs"\ncommand = "serve"\ncwd = "../secret"',
      {},
      '6:7: cwd "../secret" leads out of the project, to "secret"',
    ],
    [
      'a skill above that it may load',
      'skills = ["../secret"]',
      {},
      '3:11: skill "../secret" leads out of the project, to "secret"',
    ],
    [
      'a link among those that a pattern finds',
      'skills = ["near", "skills/*"]',
      { 'project/skills/one': { linkTo: '../../secret' } },
      '3:19: skill "skills/*" leads out of the project, to "secret"',
    ],
    [
      'a link for all skills',
      'skill = "secret"',
      { 'project/skills': { linkTo: '..' } },
      '3:9: skill "secret" leads out of the project, to "secret/SKILL.md"',
    ],
  ])('%s', async (_, keys, links, complaint) => {
    const files = { 'project/agents/top.toml': top(keys), ...links };
    expect(await outsideOf({ files })).toEqual([`agents/top.toml:${complaint}`]);
  });

  test('both, in the order of the file', async () => {
    const files = { 'project/agents/top.toml': top('skill = "/etc/motd"\nworkdir = "/"') };
    expect(await outsideOf({ files })).toEqual([
      expect.stringMatching(/^agents\/top\.toml:3:9: skill /),
      expect.stringMatching(/^agents\/top\.toml:4:11: workdir /),
    ]);
  });
});

describe('nothing is told of', () => {
  test.each<[string, Layout]>([
    ['an agent that names nothing', { files: { 'project/agents/top.toml': top('') } }],
    [
      'what is in the project',
      {
        files: {
          'project/agents/top.toml': top('workdir = "docs/../docs"\nskill = "one"'),
          'project/docs': emptyFolder,
          'project/skills/one/SKILL.md': 's',
        },
      },
    ],
    [
      'links within the project',
      {
        files: {
          'project/agents/top.toml': top('workdir = "docs"'),
          'project/text': emptyFolder,
          'project/docs': { linkTo: 'text' },
        },
      },
    ],
    [
      "the user's own agents",
      { files: { 'home/.config/cadre/agents/top.toml': top('workdir = "/etc"\nskill = "/etc/motd"') } },
    ],
    [
      "the user's own agents by --agents-dir",
      {
        files: { 'home/.config/cadre/agents/top.toml': top('workdir = "/etc"') },
        agentsDir: '../home/.config/cadre/agents',
      },
    ],
    [
      'a folder that the user trusts',
      { files: { 'project/agents/top.toml': top('workdir = "../secret"') }, trusted: ['secret'] },
    ],
    [
      'the project of --agents-dir',
      {
        files: {
          'clone/agents/top.toml': top('skill = "one"'),
          'clone/skills/one/SKILL.md': 's',
        },
        agentsDir: '../clone/agents',
      },
    ],
  ])('%s', async (_, layout) => {
    expect(await outsideOf(layout)).toEqual([]);
  });

  test('but of what is beside a folder of agents by another name', async () => {
    const files = { 'clone/top.toml': top('skill = "secret/SKILL.md"'), 'clone/x': '' };
    expect(await outsideOf({ files, agentsDir: '../clone' })).toEqual([
      expect.stringContaining('to "secret/SKILL.md"'),
    ]);
  });
});

test('agents that are kept inside are refused by name, and what they lead to is told once', async () => {
  const cwd = await tempFolder({
    'agents/top.toml': top('workdir = "/etc"'),
    'agents/kid.toml': 'name = "kid"\nmodel = "m/x"\n',
  });
  const options = { cwd, env: { XDG_CONFIG_HOME: join(cwd, 'none') } };
  const told: string[] = [];
  const source = keepInside(openAgentFolders(options), createFindOutside(options, []), (line) =>
    told.push(line),
  );
  const refusal = 'agents/top.toml: it leads out of its project, which is not allowed here';
  await expect(loadAgent('top', source)).rejects.toThrow(refusal);
  await expect(loadAgent('top', source)).rejects.toThrow(refusal);
  expect(told).toEqual([
    'agents/top.toml:3:11: workdir "/etc" leads out of the project, to "/etc"; where that is meant, ' +
      `name its folder in folders under [trust] in ${cwd}/none/cadre/config.toml`,
  ]);
  expect((await loadAgent('kid', source)).agent.name).toBe('kid');
});

describe('a run that goes on is looked at as it was opened', () => {
  const LINKS = { 'project/in/SKILL.md': 's', 'project/out': { linkTo: '../secret' } };
  const at = (cwd: string) => {
    const server = toolServer({ args: [] });
    if (server.reach.kind === 'command') server.reach.cwd = cwd;
    return { servers: { docs: server } };
  };

  test.each([
    [{}, undefined],
    [{ workdir: 'in', skill: 'in/SKILL.md', ...at('in') }, undefined],
    [{ workdir: 'out' }, 'the workdir "out"'],
    [{ skill: 'out/SKILL.md' }, 'the skill "out/SKILL.md"'],
    [{ skills: [{ name: 'in', folder: 'in' }] }, undefined],
    [
      {
        skills: [
          { name: 'in', folder: 'in' },
          { name: 'x', folder: '../secret' },
        ],
      },
      'the skill "x"',
    ],
    [{ skills: [{ name: 'out', folder: 'out' }] }, 'the skill "out"'],
    [at('out'), 'the folder of server "docs" "out"'],
    [at('../secret'), 'the folder of server "docs" "../secret"'],
  ])('%j', async (opened, fault) => {
    // Its agent's file is broken by now, which says nothing of the run.
    const root = await tempFolder({ 'secret/SKILL.md': 's', 'project/agents/top.toml': '?', ...LINKS });
    const options = { cwd: join(root, 'project'), env: { XDG_CONFIG_HOME: join(root, 'home') } };
    const find = createFindStoredOutside(options, [], openAgentFolders(options));
    expect(await find({ agent: 'top', ...opened })).toBe(
      fault && `${fault} of this run leads out of the project`,
    );
  });
});
