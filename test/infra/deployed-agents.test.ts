import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadDeployedAgents } from '../../infra/deployed-agents.ts';
import type { DeployedProviders } from '../../src/core/model/provider-settings.ts';
import { tempFolder } from '../fixtures/temp-folder.ts';

/** The agents of a project. */
function load(project: string, providers: DeployedProviders = {}) {
  return loadDeployedAgents({ agentsFolder: join(project, 'agents'), cwd: project, providers });
}

test('agents that cannot be loaded are told of with file, line and column, all of them', async () => {
  const folder = await tempFolder({
    'agents/fine.toml': 'name = "fine"\nmodel = "offline/extractive"\n',
    'agents/broken.toml': 'name = "broken"\nmodel = \n',
    'agents/odd.toml':
      'name = "odd"\nmodel = "offline/extractive"\n[permission]\ndeny = ["write_file"]\n[budget]\nmax_dollars = 1\n',
    'agents/wrong.toml': 'name = "wrong"\nmodel = "offline/extractive"\ntimeout = "long"\n',
  });
  await expect(load(folder)).rejects.toMatchObject({
    name: 'ConfigError',
    message: [
      'failed to parse agent config "broken": agents/broken.toml:2:9: expected a value after "="',
      'agents/odd.toml:3:2: unknown key "permission", did you mean "permissions"?',
      'agents/odd.toml:6:1: unknown key "budget.max_dollars", known here: max_tokens, max_usd, max_turns, max_tool_calls',
      'failed to parse agent config "wrong": agents/wrong.toml:3:11: timeout must be an integer, got "long"',
    ].join('\n'),
  });
});

test('a local agent that there is not stops the deployment of the one that was meant', async () => {
  const folder = await tempFolder({ 'agents/coder.toml': 'name = "coder"\nmodel = "offline/extractive"\n' });
  const project = { agentsFolder: join(folder, 'agents'), cwd: folder };
  await expect(loadDeployedAgents({ ...project, localAgents: ['codr'] })).rejects.toMatchObject({
    name: 'ConfigError',
    message: 'localAgents: there is no agent "codr"; did you mean "coder"?',
  });
  await expect(loadDeployedAgents({ ...project, localAgents: ['coder'] })).resolves.toEqual(new Map());
});

const functionWith = (name: string) =>
  `[[functions]]\nname = "f"\ndescription = "f"\nfile = "other/x.md"\nenv = { ${name} = "x" }`;

test.each([
  ['sub_agents = ["fien"]', '3:15: agent config not found: fien; did you mean "fine"?'],
  ['skill = "none"', /3:9: skill not found: .*\/skills\/none\/SKILL\.md$/],
  ['skills = ["none"]', /3:11: skill not found: .*\/skills\/none\/SKILL\.md$/],
  ['skills = ["other/x"]', /3:11: skill other\/x is not deployed: only agents\/ and skills\/ are/],
  ['skill = "other/x.md"', '3:9: skill other/x.md is not deployed: only agents/ and skills/ are'],
  ['files = ["["]', /3:10: invalid glob pattern/],
  [
    'tools = ["web_search"]',
    '3:10: web_search needs somebody who searches: set webSearch of the environment',
  ],
  [
    'tools = ["files:read", "run_command"]',
    '3:24: run_command is for local runs only, unless it runs in a sandbox: set kind = "isolated" under [sandbox], give the agent a function of your own ([[functions]]), or keep the agent out of accounts (localAgents)',
  ],
  [
    '[sandbox]\nkind = "isolated"',
    '4:8: commands without a network run in a VPC without routes, and the environment has none: set its sandboxVpc, or network = true under [sandbox]',
  ],
  ['tools = ["run_command"]\n[sandbox]\nkind = "isolated"\nnetwork = true', undefined],
  ...['_A', 'A'].map((name): [string, string] => [
    functionWith(name),
    `7:9: Lambda takes no variable called ${name}: it has to begin with a letter and have two characters or more`,
  ]),
  [functionWith('A_1'), undefined],
  ['workdir = "only in the bucket"\nfiles = ["x.md", "*.txt"]', undefined],
])('one agent among good ones with %s', async (line, complaint) => {
  const folder = await tempFolder({
    'agents/fine.toml': 'name = "fine"\nmodel = "openai/gpt-5.1"\n',
    'agents/x.toml': `name = "x"\nmodel = "openai/gpt-5.1"\n${line}\n`,
    'other/x.md': '',
  });
  const loading = load(folder);
  if (complaint === undefined) {
    expect([...(await loading).keys()]).toEqual(['fine', 'x']);
  } else {
    const message =
      typeof complaint === 'string' ? `agents/x.toml:${complaint}` : expect.stringMatching(complaint);
    await expect(loading).rejects.toMatchObject({ name: 'ConfigError', message });
  }
});

test.each(['ollama/llama3.2', 'scripted/x.json'])(
  'a model that no account can run stops the deployment: %s',
  async (model) => {
    const folder = await tempFolder({
      'agents/fine.toml': 'name = "fine"\nmodel = "openai/gpt-5.1"\n',
      'agents/x.toml': `name = "x"\nmodel = "${model}"\n[schedule]\nrate = "1 day"\n`,
    });
    await expect(load(folder)).rejects.toMatchObject({
      name: 'ConfigError',
      message: `agents/x.toml:2:9: model "${model}" exists on this machine only: an account cannot run it; list agents that stay here under localAgents`,
    });
  },
);

test('a model elsewhere can be deployed once the environment says where it is', async () => {
  const folder = await tempFolder({
    'agents/a.toml': 'name = "a"\nmodel = "ollama/llama3.2"\n[schedule]\nrate = "1 day"\n',
    'agents/b.toml': 'name = "b"\nmodel = "azure/my-gpt"\n',
    'agents/c.toml': 'name = "c"\nmodel = "acme/big-one"\n',
    'agents/d.toml': 'name = "d"\nmodel = "groq/llama-3.3-70b"\n',
  });
  const places = {
    ollama: { baseUrl: 'http://10.0.0.7:11434' },
    azure: { baseUrl: 'https://me.openai.azure.com' },
  };
  const acme = { protocol: 'openai', baseUrl: 'https://api.acme.example' } as const;
  const agents = await load(folder, { ...places, acme });
  expect([...agents].map(([name, { warnings }]) => [name, warnings])).toEqual([
    ['a', []],
    ['b', []],
    ['c', []],
    ['d', []],
  ]);
  await expect(load(folder, { acme: { protocol: 'openai' } })).rejects.toMatchObject({
    message: [
      'agents/a.toml:2:9: model "ollama/llama3.2" exists on this machine only: an account cannot run it; list agents that stay here under localAgents',
      'agents/b.toml:2:9: provider "azure" has no address: set providers.azure.baseUrl of the environment',
      'agents/c.toml:2:9: provider "acme" has no address: set providers.acme.baseUrl of the environment',
    ].join('\n'),
  });
});

test.each<[DeployedProviders]>([[{}], [{ acme: { baseUrl: 'https://api.acme.example' } }]])(
  "a provider of one's own that an environment knows nothing or too little of is said once: %j",
  async (providers) => {
    const folder = await tempFolder({ 'agents/a.toml': 'name = "a"\nmodel = "acme/big-one"\n' });
    await expect(load(folder, providers)).rejects.toMatchObject({
      message:
        'agents/a.toml:2:9: unsupported provider "acme": supported providers are anthropic, azure, bedrock, gemini, groq, lmstudio, mistral, offline, ollama, openai, openrouter, scripted, vllm; one of your own needs protocol and baseUrl under providers of the environment',
    });
  },
);

test('an agent with a name of those that cadre verify brings stops the deployment', async () => {
  const folder = await tempFolder({
    'agents/cadre-verify-x.toml': 'name = "cadre-verify-x"\nmodel = "offline/extractive"\n',
  });
  await expect(load(folder)).rejects.toMatchObject({
    name: 'ConfigError',
    message: 'agents/cadre-verify-x.toml: names that begin with cadre-verify- are those of cadre verify',
  });
});

test('where the API tells persons apart, an agent warns of what they may miss', async () => {
  const folder = await tempFolder({
    'agents/a.toml': 'name = "a"\nmodel = "offline/extractive"\ntools = ["files:read"]\n',
  });
  const project = { agentsFolder: join(folder, 'agents'), cwd: folder };
  const warnings = async (takesTokens: boolean) =>
    (await loadDeployedAgents({ ...project, takesTokens })).get('a')?.warnings;
  expect([await warnings(false), await warnings(true)]).toEqual([
    [],
    [expect.stringContaining('agent "a": each person whose token starts a run has files of their own')],
  ]);
});

test('a model that searches itself can be deployed with web_search, and no other', async () => {
  const folder = await tempFolder({
    'agents/a.toml': 'name = "a"\nmodel = "anthropic/claude-sonnet-4-5"\ntools = ["web_search"]\n',
  });
  const project = { agentsFolder: join(folder, 'agents'), cwd: folder, searching: 'model' as const };
  expect([...(await loadDeployedAgents(project)).keys()]).toEqual(['a']);
  await writeFile(
    join(folder, 'agents/b.toml'),
    'name = "b"\nmodel = "offline/extractive"\ntools = ["web_search"]\n',
  );
  await expect(loadDeployedAgents(project)).rejects.toThrow('agents/b.toml:3:10: ');
});

test('agents that can be loaded are given by the names that they run as', async () => {
  const folder = await tempFolder({
    'agents/one.toml': 'name = "one"\nmodel = "offline/extractive"\n',
    'agents/two.toml': 'name = "other"\nmodel = "offline/extractive"\n',
  });
  const agents = await load(folder);
  expect([...agents].map(([name, { warnings }]) => [name, warnings.length])).toEqual([
    ['one', 0],
    ['two', 1],
  ]);
});
