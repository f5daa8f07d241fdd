import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { everyAgent, loadPacks } from '../../infra/rollout.ts';
import { stageFunctions } from '../../infra/staged-functions.ts';
import { modulesOf } from '../../infra/user-modules.ts';
import { openPackedAgents } from '../../src/authoring/loading/folders/packed-agents.ts';
import { loadAgent } from '../../src/core/agent-schema/load-agent.ts';
import { skillText } from '../fixtures/skills.ts';
import { tempFolder } from '../fixtures/temp-folder.ts';

const agent = (name: string, prompt: string, more = '') =>
  `name = "${name}"\nmodel = "offline/extractive"\nsystem_prompt = "${prompt}"\n${more}`;

const PROJECT = {
  'agents/lead.toml': agent('lead', 'old'),
  'agents/gone.toml': agent('gone', 'old'),
  'agents-next/lead.toml': agent('lead', 'new', 'skill = "agents-next/kind.md"\nskills = ["polite"]\n'),
  'agents-next/fresh.toml': agent('fresh', 'new'),
  'agents-next/kind.md': 'Be kind.',
  'docs/notes.md': 'No agent.',
  'skills/polite/SKILL.md': skillText('polite'),
};

async function load(
  files: Record<string, string>,
  { next = 'agents-next', share = 0.25, localAgents = [] as string[] } = {},
) {
  const cwd = await tempFolder(files);
  const agentsFolder = join(cwd, 'agents');
  const rollout = { folder: join(cwd, next), share };
  return { cwd, packs: await loadPacks({ agentsFolder, cwd, localAgents, rollout }) };
}

async function staged(cwd: string, { agents, next }: Awaited<ReturnType<typeof loadPacks>>) {
  const folder = join(cwd, 'staged');
  await stageFunctions(folder, {
    bundles: await tempFolder({
      'open/index.mjs': 'o',
      'api/index.mjs': 'a',
      'doors/index.mjs': 'd',
      'tool/index.mjs': 't',
    }),
    agents,
    next,
    modules: modulesOf(everyAgent(agents, next)),
    agentsFolder: join(cwd, 'agents'),
  });
  return folder;
}

test('functions have both packs and the skills of both, and a tree is read from its own', async () => {
  const { cwd, packs } = await load(PROJECT);
  const folder = await staged(cwd, packs);
  const source = openPackedAgents(join(folder, 'open'));
  expect(await source.list()).toEqual(['fresh', 'gone', 'lead']);
  const promptOf = async (pack: string | undefined) => {
    const packed = await source.packOf?.({ root: 'lead-1', agent: 'lead', isTop: false, pack });
    const loaded = await loadAgent('lead', packed?.source ?? source);
    return [packed?.name, loaded.agent.systemPrompt];
  };
  const { current, next } = packs.next?.rollout ?? {};
  expect([current, next].map((name) => name?.replace(/[0-9a-f]{12}$/, '…'))).toEqual([
    'agents@…',
    'agents-next@…',
  ]);
  expect([await promptOf(current), await promptOf(next), await promptOf(undefined)]).toEqual([
    [current, 'old'],
    [next, 'new'],
    [current, 'old'],
  ]);
  expect(await source.readSkill(join(folder, 'open/agents-next/kind.md'))).toBe('Be kind.');
  expect(await readFile(join(folder, 'tool/skills/polite/SKILL.md'), 'utf8')).toBe(skillText('polite'));
  // People read the file that they work on.
  const api = openPackedAgents(join(folder, 'api'));
  expect(await api.readText?.('lead')).toBe(PROJECT['agents/lead.toml']);
  expect(await api.readText?.('fresh')).toBe(PROJECT['agents-next/fresh.toml']);
});

test('what a person has set takes precedence over the share that was deployed, for this rollout', async () => {
  const { cwd, packs } = await load(PROJECT);
  const folder = await staged(cwd, packs);
  const top = { root: 'lead-1', agent: 'lead', isTop: true };
  const taken = async (share: number | undefined) => {
    const asked: string[] = [];
    const source = openPackedAgents(join(folder, 'open'), async (rollout) => {
      asked.push(rollout);
      return share;
    });
    const { name } = (await source.packOf?.(top)) ?? {};
    expect(asked).toEqual([`${packs.next?.rollout.next}:0.25`]);
    return name?.split('@')[0];
  };
  // The hash of this id is beyond a quarter of what there is.
  expect([await taken(undefined), await taken(1), await taken(0)]).toEqual([
    'agents',
    'agents-next',
    'agents',
  ]);
});

test('where there is one pack, no tree has the name of one', async () => {
  const cwd = await tempFolder({ 'agents/lead.toml': agent('lead', 'old') });
  const packs = await loadPacks({ agentsFolder: join(cwd, 'agents'), cwd });
  const source = openPackedAgents(join(await staged(cwd, packs), 'open'));
  expect(await source.packOf?.({ root: 'lead-1', agent: 'lead', isTop: true })).toEqual({
    source: expect.anything(),
  });
});

test('the digest of a pack is that of its agents, wherever they lie, with the texts of their skills', async () => {
  const digestOf = async (files: Record<string, string>) => {
    const { packs } = await load(files);
    return packs.next?.rollout.next;
  };
  const before = await digestOf(PROJECT);
  expect(await digestOf({ ...PROJECT, 'agents/lead.toml': agent('lead', 'older') })).toBe(before);
  expect(await digestOf({ ...PROJECT, 'agents-next/kind.md': 'Be kinder.' })).not.toBe(before);
  expect(await digestOf({ ...PROJECT, 'agents-next/fresh.toml': agent('fresh', 'newer') })).not.toBe(before);
  // As at the end of a rollout.
  const simple = { 'agents/lead.toml': agent('lead', 'old'), 'agents-next/lead.toml': agent('lead', 'new') };
  const { cwd, packs } = await load(simple);
  await rm(join(cwd, 'agents'), { recursive: true });
  await rename(join(cwd, 'agents-next'), join(cwd, 'agents'));
  const rollout = { folder: join(await moved(cwd), 'later'), share: 0.5 };
  const moving = await loadPacks({ agentsFolder: join(cwd, 'agents'), cwd, rollout });
  expect(moving.next?.rollout.current).toBe(packs.next?.rollout.next.replace('agents-next@', 'agents@'));
});

/** Puts yet other agents beside those of a project. */
async function moved(cwd: string): Promise<string> {
  await rename(
    join(await tempFolder({ 'later/lead.toml': agent('lead', 'newest') }), 'later'),
    join(cwd, 'later'),
  );
  return cwd;
}

test.each([
  [
    'elsewhere',
    'other/agents-next',
    /^rollout\.folder: ".*other\/agents-next" is no folder of its own beside ".*\/agents"/,
  ],
  ['the same one', 'agents', /^rollout\.folder: .* is no folder of its own beside/],
  ['that of skills', 'skills', /^rollout\.folder: .* is no folder of its own beside/],
  ['missing', 'agents-later', /^failed to read agents folder .*agents-later/],
  ['empty', 'docs', /^rollout\.folder: there are no agents in .*docs$/],
])('a folder of next agents that is %s is refused', async (_, next, message) => {
  await expect(load(PROJECT, { next })).rejects.toMatchObject({
    name: 'ConfigError',
    message: expect.stringMatching(message),
  });
});

test('a fault in a next agent is told of with its place, and agents of either folder may be kept local', async () => {
  const files = { ...PROJECT, 'agents-next/fresh.toml': agent('fresh', 'new', 'tools = ["run_command"]\n') };
  await expect(load(files)).rejects.toMatchObject({
    message: expect.stringMatching(/^agents-next\/fresh\.toml:4:10: run_command is for local runs only/),
  });
  const { packs } = await load(files, { localAgents: ['fresh', 'gone'] });
  expect([[...packs.agents.keys()], [...(packs.next?.agents.keys() ?? [])]]).toEqual([['lead'], ['lead']]);
  await expect(load(files, { localAgents: ['none'] })).rejects.toMatchObject({
    message: expect.stringContaining('localAgents: there is no agent "none"'),
  });
});
