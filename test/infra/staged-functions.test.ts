import { readFile, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { loadDeployedAgents } from '../../infra/deployed-agents.ts';
import { stageFunctions } from '../../infra/staged-functions.ts';
import { modulesOf } from '../../infra/user-modules.ts';
import { loadAgent } from '../../src/core/agent-schema/load-agent.ts';
import { loadSkill } from '../../src/core/agent-schema/skill.ts';
import { openPackedAgents } from '../../src/authoring/loading/folders/packed-agents.ts';
import { openPackedScripts } from '../../src/authoring/verify/packed-scripts.ts';
import { openSkills } from '../../src/places/local/skill-folders.ts';
import { skillText } from '../fixtures/skills.ts';
import { tempFolder } from '../fixtures/temp-folder.ts';

const REQUIRED = 'model = "offline/extractive"\n';

async function stage(entries: Parameters<typeof tempFolder>[0], staged: string): Promise<string> {
  const project = await tempFolder({
    'dist/open/index.mjs': 'o',
    'dist/api/index.mjs': 'a',
    'dist/doors/index.mjs': 'd',
    ...entries,
  });
  const folder = join(project, staged);
  await stageProject(folder, project);
  return folder;
}

async function stageProject(folder: string, project: string, verify = false): Promise<void> {
  const agentsFolder = join(project, 'agents');
  const agents = await loadDeployedAgents({ agentsFolder, cwd: project });
  const bundles = join(project, 'dist');
  await stageFunctions(folder, { bundles, agents, modules: modulesOf(agents), verify, agentsFolder });
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

test('functions that read agents have them and their skills beside their bundles, and the API has their files', async () => {
  const folder = await stage(
    {
      'dist/turn/index.mjs': 't',
      'agents/one.toml': `name = "one"\nskill = "kind"\n${REQUIRED}`,
      'agents/two.toml': `name = "two"\nskill = "agents/two.md"\n${REQUIRED}`,
      'agents/two.md': 'Be brief.',
      'skills/kind/SKILL.md': 'Be kind.',
    },
    'staged',
  );
  const beside = ['agents.json', 'agents/two.md', 'index.mjs', 'skills/kind/SKILL.md'];
  expect(await filesIn(folder)).toEqual([
    'api/agent-files.json',
    ...beside.map((path) => `api/${path}`),
    ...beside.map((path) => `doors/${path}`),
    ...beside.map((path) => `open/${path}`),
    'turn/index.mjs',
  ]);
  const source = openPackedAgents(join(folder, 'open'));
  const skillOf = async (name: string) => {
    const { agent, root } = await loadAgent(name, source);
    return loadSkill(agent.skill, root, source);
  };
  expect([await skillOf('one'), await skillOf('two')]).toEqual(['Be kind.', 'Be brief.']);
});

test('the function that carries out calls has the whole folders of the skills that agents may load', async () => {
  const folder = await stage(
    {
      'dist/tool/index.mjs': 't',
      'agents/one.toml': `name = "one"\nskills = ["kind", "skills/p*"]\n${REQUIRED}`,
      'agents/two.toml': `name = "two"\n${REQUIRED}`,
      'skills/kind/SKILL.md': skillText('kind', 'description: Be kind.\nallowed-tools: Read'),
      'skills/kind/scripts/smile.toml': 'x',
      'skills/kind/secret': { linkTo: '../../agents/one.toml' },
      'skills/kind/.env': 'KEY=1',
      'skills/polite/SKILL.md': skillText('polite'),
      'skills/unused/SKILL.md': skillText('unused'),
    },
    'staged',
  );
  expect(await filesIn(join(folder, 'tool'))).toEqual([
    'index.mjs',
    'skills/kind/SKILL.md',
    'skills/kind/scripts/smile.toml',
    'skills/polite/SKILL.md',
  ]);
  const source = openPackedAgents(join(folder, 'open'));
  const skillsOf = async (name: string) => source.skills?.(await loadAgent(name, source));
  expect([await skillsOf('one'), await skillsOf('two')]).toEqual([
    [
      {
        name: 'kind',
        description: 'Be kind.',
        folder: 'skills/kind',
        allowedTools: ['read_file', 'read_skill_file', 'use_skill'],
        digest: expect.stringMatching(/^[0-9a-f]{12}$/),
      },
      {
        name: 'polite',
        description: 'For tests.',
        folder: 'skills/polite',
        digest: expect.stringMatching(/^[0-9a-f]{12}$/),
      },
    ],
    [],
  ]);
  const opened = { skills: [{ name: 'kind', folder: 'skills/kind' }], tools: [] };
  const { files, folder: named } = await openSkills(opened, async () => join(folder, 'tool')).open('kind');
  expect(new TextDecoder().decode((await files.read('SKILL.md')).bytes)).toBe(
    skillText('kind', 'description: Be kind.\nallowed-tools: Read'),
  );
  expect(named).toBeUndefined();
});

test('bundles that are packed into one file are laid out like any others', async () => {
  const bundles = {
    'api/index.mjs': 'a',
    'doors/index.mjs': 'd',
    'open/index.mjs': 'o',
    'open/chunks/x.mjs': 'é',
  };
  const project = await tempFolder({
    dist: brotliCompressSync(JSON.stringify(bundles)),
    'agents/one.toml': `name = "one"\n${REQUIRED}`,
  });
  const folder = join(project, 'staged');
  await stageProject(folder, project);
  expect(await filesIn(folder)).toEqual([
    'api/agent-files.json',
    'api/agents.json',
    'api/index.mjs',
    'doors/agents.json',
    'doors/index.mjs',
    'open/agents.json',
    'open/chunks/x.mjs',
    'open/index.mjs',
  ]);
  expect(await readFile(join(folder, 'open/chunks/x.mjs'), 'utf8')).toBe('é');
});

test('with `verify`, functions have its agents and scripts, which no list shows and nothing else plays', async () => {
  const project = await tempFolder({
    'dist/open/index.mjs': 'o',
    'dist/api/index.mjs': 'a',
    'dist/doors/index.mjs': 'd',
    'dist/turn/index.mjs': 't',
    'agents/one.toml': `name = "one"\n${REQUIRED}`,
  });
  const folder = join(project, 'staged');
  await stageProject(folder, project, true);
  expect(await filesIn(join(folder, 'turn'))).toEqual(['index.mjs', 'scripts.json']);
  const source = openPackedAgents(join(folder, 'api'));
  expect(await source.list()).toEqual(['one']);
  const { agent } = await loadAgent('cadre-verify-quick', source);
  expect(agent.model).toBe('scripted/cadre-verify-quick.json');

  const model = await openPackedScripts(join(folder, 'turn'));
  const request = {
    system: '',
    messages: [{ role: 'user' as const, text: 'go' }],
    tools: [],
    maxTokens: 0,
  };
  const signal = new AbortController().signal;
  const answer = await model.send({ ...request, model: 'cadre-verify-quick.json' }, signal);
  expect(answer.text).toBe('quick is done');
  await expect(model.send({ ...request, model: 'index.mjs' }, signal)).rejects.toMatchObject({
    name: 'ConfigError',
    message: 'failed to read script "index.mjs": only the scripts of cadre verify are deployed',
  });
});

test('without it, no script is played', async () => {
  const folder = await stage({ 'agents/one.toml': `name = "one"\n${REQUIRED}` }, 'staged');
  await expect(openPackedScripts(join(folder, 'open'))).rejects.toMatchObject({
    name: 'AgentError',
    message: 'provider "scripted" plays local files and is not deployed: run the agent locally',
  });
});

test('a link among the skills that leads nowhere is told of', async () => {
  const staging = stage(
    { 'skills/kind/SKILL.md': { linkTo: 'nowhere.md' }, agents: { folder: true } },
    'staged',
  );
  await expect(staging).rejects.toMatchObject({
    name: 'ConfigError',
    message: expect.stringMatching(/^failed to copy skills: ENOENT: .*skills\/kind\/SKILL\.md/),
  });
});

test('earlier staged files are gone, and links become their targets', async () => {
  const entries = {
    'agents/one.toml': `name = "one"\n${REQUIRED}`,
    'elsewhere.md': 'Be kind.',
    'skills/kind/SKILL.md': { linkTo: '../../elsewhere.md' },
    'staged/open/left.txt': 'left over',
  };
  const folder = await stage(entries, 'staged');
  expect(await filesIn(join(folder, 'open'))).toEqual(['agents.json', 'index.mjs', 'skills/kind/SKILL.md']);
  expect(await readFile(join(folder, 'open/skills/kind/SKILL.md'), 'utf8')).toBe('Be kind.');
});
