import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadAgent } from '../../../../src/core/agent-schema/load-agent.ts';
import type { LoadedAgent } from '../../../../src/core/agent-schema/agent-source.ts';
import { openAgentFolders } from '../../../../src/authoring/loading/folders/agent-folders.ts';
import {
  openPackedAgents,
  PACKED_AGENTS,
  PACKED_TEXTS,
  packAgents,
  packTexts,
} from '../../../../src/authoring/loading/folders/packed-agents.ts';
import { tempFolder } from '../../../fixtures/temp-folder.ts';

const FULL = `name = "other"
model = "openai/gpt-5.1"
description = "Does it all"
system_prompt = "Say \\"hello\\"\\nand ☃."
skill = "greet"
files = ["*.md"]
workdir = "docs"
sub_agents = ["plain", "plain"]
timeout = 60
x-colour = "red"
[sub_agents_config]
max_depth = 2
parallel = false
[params]
temperature = 0.1
reasoning_effort = "high"
api = "responses"
[memory]
enabled = true
[retry]
max_retries = 2
[budget]
max_usd = 0.000001
[schedule]
cron = "0 9 ? * mon-fri *"
timezone = "Europe/Berlin"
prompt = "What is new?"
`;

/** Agents as they are in files, and the folder that they are packed into. */
async function pack(files: Record<string, string>) {
  const project = await tempFolder(
    Object.fromEntries(Object.entries(files).map(([name, text]) => [`agents/${name}.toml`, text])),
  );
  const source = openAgentFolders({ cwd: project, env: {}, agentsDir: 'agents' });
  const agents = new Map<string, LoadedAgent>();
  for (const name of Object.keys(files)) agents.set(name, await loadAgent(name, source));
  const folder = await tempFolder({
    [PACKED_AGENTS]: packAgents(agents),
    [PACKED_TEXTS]: packTexts(agents),
  });
  return { agents, folder };
}

test('people read the file of a packed agent as it was written, and of an older pack none', async () => {
  const { folder } = await pack({ full: FULL });
  expect(await openPackedAgents(folder).readText?.('full')).toBe(FULL);
  const older = await tempFolder({ [PACKED_AGENTS]: '{}' });
  expect(await openPackedAgents(older).readText?.('full')).toBeUndefined();
});

test('agents are the same packed as they are in their files, but for their root', async () => {
  const { agents, folder } = await pack({
    plain: 'name = "plain"\nmodel = "offline/extractive"\n',
    full: FULL,
    constructor: 'name = "constructor"\nmodel = "offline/extractive"\n',
    7: 'name = "7"\nmodel = "offline/extractive"\n',
  });
  const packed = openPackedAgents(folder);
  expect(await packed.list()).toEqual(['7', 'constructor', 'full', 'plain']);
  for (const [name, { file: _notPacked, ...loaded }] of agents) {
    expect(await loadAgent(name, packed)).toStrictEqual({ ...loaded, root: folder });
  }
  expect((await loadAgent('full', packed)).warnings).toHaveLength(1);
});

test.each(['none', 'toString', 'hasOwnProperty'])('there is no agent %s among them', async (name) => {
  const { folder } = await pack({ plain: 'name = "plain"\nmodel = "offline/extractive"\n' });
  await expect(loadAgent(name, openPackedAgents(folder))).rejects.toThrow(`agent config not found: ${name}`);
});

test.each(['__proto__', '../agents', 'a/b', ''])('%j is no name to look for', async (name) => {
  const { folder } = await pack({ plain: 'name = "plain"\nmodel = "offline/extractive"\n' });
  await expect(loadAgent(name, openPackedAgents(folder))).rejects.toThrow('invalid agent name');
});

test('a skill is read from the file that lies beside them', async () => {
  const { folder } = await pack({});
  const path = join(folder, 'SKILL.md');
  await writeFile(path, 'Be kind.');
  const { readSkill } = openPackedAgents(folder);
  expect([await readSkill(path), await readSkill(`${path}.not`)]).toEqual(['Be kind.', undefined]);
});

test('skills are read from what was packed and from nowhere else', async () => {
  const root = await tempFolder({
    'packed/agents.json': '{}',
    'packed/skills/s/SKILL.md': 'text',
    'packed/skills/link/SKILL.md': { linkTo: '../../../outside' },
    outside: 'secret',
  });
  const folder = join(root, 'packed');
  const { readSkill } = openPackedAgents(folder);
  expect(await readSkill(join(folder, 'skills/s/SKILL.md'))).toBe('text');
  for (const path of [join(root, 'outside'), join(folder, 'skills/link/SKILL.md'), '/proc/self/environ']) {
    expect(await readSkill(path)).toBeUndefined();
  }
});
