import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openAgentFolders } from '../../../src/authoring/loading/folders/agent-folders.ts';
import {
  openPackedAgents,
  PACKED_AGENTS,
  packAgents,
} from '../../../src/authoring/loading/folders/packed-agents.ts';
import type { AgentSource } from '../../../src/core/agent-schema/agent-source.ts';
import { loadAgent } from '../../../src/core/agent-schema/load-agent.ts';
import { forkForPerson } from '../../../src/core/lifecycle/fork-for-person.ts';
import { openRun } from '../../../src/core/lifecycle/open.ts';
import type { Overrides } from '../../../src/core/records/request.ts';
import { seconds } from '../../../src/core/records/times.ts';
import { openFolderWorkspace } from '../../../src/places/local/workspace/folder-workspace.ts';
import { createMemoryStore } from '../../../src/places/testing/memory-store.ts';
import { loadOwnTools } from '../../../src/tools/load-own-tools.ts';
import { latch } from '../../fixtures/stage.ts';
import { aTurn } from '../../fixtures/records.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const AGENT = `
name = "a"
model = "offline/extractive"
system_prompt = "You are a."
skill = "brief"
files = ["facts.md"]
tools = ["read_file", "spawn_agent"]

[params]
max_tokens = 900

[memory]
enabled = true
`;
const FILES = {
  'agents/a.toml': AGENT,
  'skills/brief/SKILL.md': 'Be brief.',
  'facts.md': 'It is so.',
};

interface Asked {
  prompt?: string;
  overrides?: Overrides;
}

/** Opens runs of the agent of one folder, in a store of their own. */
async function openProject(files: Record<string, string> = FILES, source?: AgentSource) {
  const cwd = await tempFolder(files);
  const { runs: store, memories } = createMemoryStore();
  let opened = 0;
  const ports = {
    cwd,
    source: source ?? openAgentFolders({ cwd, env: { XDG_CONFIG_HOME: `${cwd}/none` } }),
    openWorkspace: openFolderWorkspace,
    store,
    memories,
    tools: loadOwnTools,
    now: () => Date.parse('2026-01-01T00:00:00.000Z') + opened,
  };
  async function open(id: string, input: object) {
    await openRun({ execution: `arn-of-${id}`, name: id, redrives: 0, input }, ports);
    return store.run(id);
  }
  return {
    cwd,
    store,
    memories,
    open,
    async versionOf({ prompt = 'go', overrides }: Asked = {}) {
      const id = `a-${String(++opened).padStart(14, '0')}`;
      await store.saveRequest(id, { agent: 'a', prompt, ...(overrides && { overrides }) });
      return (await open(id, { agent: 'a', run: id }))?.version;
    },
  };
}

test('the version of a run is that of its agent, whatever it is asked, remembers and may spend', async () => {
  const { memories, versionOf } = await openProject();
  const version = await versionOf();
  expect(version).toMatch(/^[0-9a-f]{12}$/);
  expect(await versionOf({ prompt: 'something else' })).toBe(version);
  expect(await versionOf({ overrides: { timeout: seconds(9), budget: { tokens: 10 } } })).toBe(version);
  await memories.append('a', 'a-00000000000001', { at: '2026-01-01T00:00:00Z', task: 'go', result: 'gone' });
  expect(await versionOf()).toBe(version);
  const elsewhere = await openProject();
  expect(await elsewhere.versionOf()).toBe(version);
});

test.each<[string, Partial<typeof FILES>]>([
  ['a parameter', { 'agents/a.toml': AGENT.replace('900', '901') }],
  ['the prompt', { 'agents/a.toml': AGENT.replace('You are a.', 'You are A.') }],
  ['the skill', { 'skills/brief/SKILL.md': 'Be very brief.' }],
  ['a file', { 'facts.md': 'It is not so.' }],
  ['the model', { 'agents/a.toml': AGENT.replace('offline/extractive', 'openai/gpt-5') }],
  ['the tools', { 'agents/a.toml': AGENT.replace('"read_file"', '"read_file", "grep"') }],
  ['the permissions', { 'agents/a.toml': `${AGENT}\n[permissions]\nask = ["read_file"]` }],
  ['a limit', { 'agents/a.toml': `${AGENT}\n[budget]\nmax_turns = 7` }],
])('an agent has another version once %s has changed', async (_, changed) => {
  const [before, after] = await Promise.all([openProject(), openProject({ ...FILES, ...changed })]);
  expect(await after.versionOf()).not.toBe(await before.versionOf());
});

test.each([
  ['its description', `description = "new"\n${AGENT}`],
  ['its schedule', `${AGENT}\n[schedule]\ncron = "0 7 * * ? *"\nprompt = "go"`],
  ['the order of its keys', `tools = ["read_file", "spawn_agent"]\n${AGENT.replace(/^tools.*$/m, '')}`],
])('an agent keeps its version when %s changes', async (_, file) => {
  const [before, after] = await Promise.all([
    openProject(),
    openProject({ ...FILES, 'agents/a.toml': file }),
  ]);
  expect(await after.versionOf()).toBe(await before.versionOf());
});

test('a model that the caller chose is part of the version', async () => {
  const { versionOf } = await openProject();
  expect(await versionOf({ overrides: { model: 'openai/gpt-5' } })).not.toBe(await versionOf());
});

test('an agent that was packed for an account has the version that it has locally', async () => {
  const local = await openProject();
  const loaded = await loadAgent('a', openAgentFolders({ cwd: local.cwd, env: {} }));
  await writeFile(join(local.cwd, PACKED_AGENTS), packAgents(new Map([['a', loaded]])));
  const deployed = await openProject(FILES, openPackedAgents(local.cwd));
  expect(await deployed.versionOf()).toBe(await local.versionOf());
});

test('runs that are derived from another, and sub-agents, take the pack of their top', async () => {
  const cwd = await tempFolder(FILES);
  const own = openAgentFolders({ cwd, env: { XDG_CONFIG_HOME: `${cwd}/none` } });
  const asked: unknown[] = [];
  const source: AgentSource = {
    ...own,
    async packOf(run) {
      asked.push(run);
      return { name: run.isTop ? 'next@0' : (run.pack ?? 'none'), source: own };
    },
  };
  const { store, open, versionOf } = await openProject(FILES, source);
  await versionOf();
  const top = await store.run('a-00000000000001');
  if (top === undefined) throw new Error('it was not opened');
  const plan = { kind: 'delegate' as const, agent: 'a', task: 'help', context: '' };
  await store.saveTurn(
    top.id,
    aTurn({
      answer: {
        calls: ['spawn_agent', 'call_agent'].map((name) => ({ id: name, name, arguments: {} })),
      },
      plans: [{ ...plan, derived: { tools: ['read_file'], system: 'x' } }, plan],
    }),
  );
  await store.saveTurn(top.id, aTurn({ number: 2, answer: { calls: [], text: 'done' } }));
  const below = (call: number) =>
    open(`${top.id}-t1c${call}`, {
      agent: 'a',
      depth: 1,
      deadline: Date.now(),
      parent: { run: top.id, turn: 1, call },
    });
  const fork = await forkForPerson(top, { store, now: Date.now });
  const runs = [top, await below(1), await below(2), fork];
  expect(runs.map((run) => run?.pack)).toEqual(Array(4).fill('next@0'));
  expect((await store.opened(fork.id))?.pack).toBe('next@0');
  // Only those that are opened from a file are looked up.
  expect(asked).toEqual([
    { root: top.id, agent: 'a', pack: undefined, isTop: true },
    { root: top.id, agent: 'a', pack: 'next@0', isTop: false },
  ]);
});

test('a top that is opened twice while the share changes has the pack that is kept of how it was opened', async () => {
  const cwd = await tempFolder(FILES);
  const own = openAgentFolders({ cwd, env: { XDG_CONFIG_HOME: `${cwd}/none` } });
  const packs = ['agents@1', 'agents-next@2'];
  const source: AgentSource = {
    ...own,
    packOf: async () => ({ name: packs.shift() ?? 'none', source: own }),
  };
  const { store, open } = await openProject(FILES, source);
  const id = 'a-00000000000001';
  await store.saveRequest(id, { agent: 'a', prompt: 'go' });
  // The first one keeps the record, and the second one how it is opened.
  const { opened, saveOpened } = store;
  const [bothLooked, isSaved] = [latch(), latch()];
  let looks = 0;
  store.opened = async (run) => {
    const found = await opened(run);
    looks += 1;
    if (looks === 2) bothLooked.open();
    await bothLooked.opened;
    return found;
  };
  store.saveOpened = async (run, made) => {
    if (made.pack === 'agents@1') await isSaved.opened;
    const kept = await saveOpened(run, made);
    isSaved.open();
    return kept;
  };
  const input = { agent: 'a', run: id };
  await Promise.all([open(id, input), open(id, input)]);
  expect((await opened(id))?.pack).toBe('agents-next@2');
  expect((await store.run(id))?.pack).toBe('agents-next@2');
});

test('runs that are derived from another have its version, even if the agent has changed since', async () => {
  const { cwd, store, open, versionOf } = await openProject();
  const version = await versionOf();
  const top = await store.run('a-00000000000001');
  if (top === undefined) throw new Error('it was not opened');
  const spawning = aTurn({
    answer: { calls: [{ id: 'c1', name: 'spawn_agent', arguments: {} }] },
    plans: [
      {
        kind: 'delegate',
        agent: 'a',
        task: 'help',
        context: '',
        derived: { tools: ['read_file'], system: 'x' },
      },
    ],
  });
  await store.saveTurn(top.id, spawning);
  await store.saveTurn(top.id, aTurn({ number: 2, answer: { calls: [], text: 'done' } }));
  await writeFile(join(cwd, 'facts.md'), 'It is not so.');
  const parent = { run: top.id, turn: 1, call: 1 };
  const spawned = await open(`${top.id}-t1c1`, { agent: 'a', depth: 1, deadline: Date.now(), parent });
  const fork = await forkForPerson(top, { store, now: Date.now });
  expect([spawned?.version, fork.version]).toEqual([version, version]);
  expect((await store.opened(fork.id))?.version).toBe(version);
  expect(await versionOf()).not.toBe(version);
});
