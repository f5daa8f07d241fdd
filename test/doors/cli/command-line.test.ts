import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { typed } from '../../fixtures/typed.ts';

const cadre = async (...args: string[]) => typed(args, await tempFolder());

test.each([
  [['run'], "Error: missing required argument 'agent'\n(see: cadre run --help)\n"],
  [
    ['run', 'top', 'how', 'is $it?'],
    "Error: too many arguments; the prompt takes -p: cadre run top -p 'how is $it?'\n(see: cadre run --help)\n",
  ],
  [['mcp', 'tools'], "Error: missing required argument 'agent'\n(see: cadre mcp tools --help)\n"],
  [
    ['run', 'agents/top.toml', '-p', 'x'],
    'Error: agents go by their names, not by their files; did you mean: cadre run top?\n(see: cadre run --help)\n',
  ],
  [
    ['agents', 'check', 'a.toml', './agents/b c.toml'],
    "Error: agents go by their names, not by their files; did you mean: cadre agents check a 'b c'?\n(see: cadre agents check --help)\n",
  ],
  [['nonsense'], "Error: unknown command 'nonsense'\n(see: cadre --help)\n"],
  [['nonsense', '--help'], "Error: unknown command 'nonsense'\n(see: cadre --help)\n"],
  [['help', 'rnu'], "Error: unknown command 'rnu'\n(Did you mean run?)\n(see: cadre --help)\n"],
  [['help', 'nonsense'], "Error: unknown command 'nonsense'\n(see: cadre --help)\n"],
  [['agents', 'nonsense', '--help'], "Error: unknown command 'nonsense'\n(see: cadre agents --help)\n"],
  [
    ['run', 'top', '--timeout', '864001'],
    "Error: option '--timeout <seconds>' argument '864001' is invalid. It can be at most 864000 (ten days)\n(see: cadre run --help)\n",
  ],
  [
    ['run', 'top', '--max-usd', '0.0000000004'],
    "Error: option '--max-usd <dollars>' argument '0.0000000004' is invalid. It must be an amount of at least 0.000001, such as 0.50\n(see: cadre run --help)\n",
  ],
  [
    ['run', 'top', '--tag', 'acme'],
    "Error: option '--tag <key=value>' argument 'acme' is invalid. It must be key=value, such as customer=acme\n(see: cadre run --help)\n",
  ],
  [
    ['run', 'top', '--tag', 'a=1', '--tag', 'Customer=acme'],
    'Error: option \'--tag <key=value>\' argument \'Customer=acme\' is invalid. Its key must begin with a small letter and have at most 40 characters: letters, digits, ".", "_" and "-"\n(see: cadre run --help)\n',
  ],
  [
    ['runs', '--older-than', '30'],
    "Error: option '--older-than <age>' argument '30' is invalid. It must be a number with a unit (s, m, h, d or w), such as 30d\n(see: cadre runs --help)\n",
  ],
  [
    ['runs', '--delete', 'x', '--older-than', '30d'],
    "Error: option '--older-than <age>' cannot be used with option '--delete <run>'\n(see: cadre runs --help)\n",
  ],
  [
    ['runs', '--older-than', '30d', '--agent', 'x'],
    "Error: option '--older-than <age>' cannot be used with option '--agent <name>'\n(see: cadre runs --help)\n",
  ],
  [
    ['show', 'x', '--answer', '--json'],
    "Error: option '--answer' cannot be used with option '--json'\n(see: cadre show --help)\n",
  ],
  [
    ['run', 'top', '--dry-run', '--json'],
    "Error: option '--dry-run' cannot be used with option '--json'\n(see: cadre run --help)\n",
  ],
  ...[['chat', 'top'], ['fork', 'x'], ['resume', 'x'], ['run', 'top'], ['send', 'x'], ['serve']].map(
    ([name = '', ...args]): [string[], string] => [
      [name, ...args, '--trust', '--env', 'dev'],
      `Error: option '--trust' cannot be used with option '--env <environment>'\n(see: cadre ${name} --help)\n`,
    ],
  ),
  [
    ['trust', '--remove', '--list'],
    "Error: option '--remove' cannot be used with option '--list'\n(see: cadre trust --help)\n",
  ],
  [
    ['watch', 'x', '--json', '--events'],
    "Error: option '--events' cannot be used with option '--json'\n(see: cadre watch --help)\n",
  ],
])('a command line that cannot be used ends with code 2 and a pointer to help: %j', async (args, err) => {
  expect(await cadre(...args)).toEqual({ code: 2, out: '', err });
});

const PROVIDERS =
  'supported providers are anthropic, azure, bedrock, gemini, groq, lmstudio, mistral, offline, ollama, openai, openrouter, own, scripted, vllm';

test.each([
  ['run', 'a'],
  ['chat', 'a'],
  ['gc', 'a'],
  ['import', 'agents/a.toml'],
])('%s ends with code 1 for a --model that is none, and with what to do', async (...command) => {
  const cwd = await tempFolder({
    'agents/a.toml': 'name = "a"\nmodel = "offline/extractive"\n',
    'no-config/cadre/config.toml': '[providers.own]\nprotocol = "openai"\n',
  });
  const refused = async (model: string) => typed([...command, '--model', model], cwd);
  expect(await refused('gpt-5')).toEqual({
    code: 1,
    out: '',
    err: 'Error: invalid model format "gpt-5": expected provider/model-name\n',
  });
  expect(await refused('acme/x')).toEqual({
    code: 1,
    out: '',
    err: `Error: unsupported provider "acme": ${PROVIDERS}; set up [providers.acme] in ${cwd}/no-config/cadre/config.toml\n`,
  });
  expect(await refused('opnai/x')).toEqual({
    code: 1,
    out: '',
    err: `Error: unsupported provider "opnai": ${PROVIDERS}; did you mean "openai"?\n`,
  });
});

test.each([
  ['gpt-5', 'invalid model format "gpt-5": expected provider/model-name; did you mean "openai/gpt-5"?'],
  ['my-gpt-5', 'invalid model format "my-gpt-5": expected provider/model-name; did you mean "openai/gpt-5"?'],
  [
    'claude-sonnet-45',
    'invalid model format "claude-sonnet-45": expected provider/model-name; did you mean "anthropic/claude-sonnet-4-5"?',
  ],
  [
    'anthropc/claude-sonnet-4-5',
    `unsupported provider "anthropc": ${PROVIDERS.replace('own, ', '')}; did you mean "anthropic"?`,
  ],
  ['planned/x', 'unsupported provider "planned": its answers are computed, for delegate_task alone'],
])('a model %s in the file of an agent is refused before there is a run', async (model, reason) => {
  const cwd = await tempFolder({ 'agents/a.toml': `name = "a"\nmodel = "${model}"\n` });
  const refused = { code: 2, out: '', err: `Error: agents/a.toml:2:9: ${reason}\n` };
  expect(await typed(['run', 'a'], cwd)).toEqual(refused);
  expect(await typed(['run', 'a', '--dry-run'], cwd)).toEqual(refused);
  expect(existsSync(`${cwd}/.cadre`)).toBe(false);
});

test('an agent that is not there ends with code 2, what may have been meant, and where it was looked for', async () => {
  const folder = await tempFolder({ 'agents/digest.toml': '' });
  expect(await typed(['run', 'digset'], folder)).toEqual({
    code: 2,
    out: '',
    err: 'Error: agent config not found: digset; did you mean "digest"? searched: ./agents, ./no-config/cadre/agents\n',
  });
});

test('a skill that is not there is refused before there is a run', async () => {
  const cwd = await tempFolder({ 'agents/a.toml': 'name = "a"\nmodel = "offline/extractive"\n' });
  expect(await typed(['run', 'a', '--skill', 'minuets'], cwd)).toEqual({
    code: 2,
    out: '',
    err: `Error: skill not found: ${cwd}/skills/minuets/SKILL.md\n`,
  });
  expect(existsSync(`${cwd}/.cadre`)).toBe(false);
});

test('where there are no agents yet, a name leads to the command that begins a project', async () => {
  expect(await cadre('run', 'hello')).toMatchObject({
    code: 2,
    err: 'Error: agent config not found: hello; searched: ./agents, ./no-config/cadre/agents (no agents yet; begin with: cadre init)\n',
  });
});

test.each([['--help'], ['help'], ['run', '--help'], ['help', 'run'], ['agents', 'list', '--help']])(
  'help is printed for what there is: %s %s %s',
  async (...args) => {
    expect(await cadre(...args)).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(/^Usage: cadre/),
    });
  },
);

test('a conversation that goes on keeps its model', async () => {
  const cwd = await tempFolder({ 'agents/a.toml': 'name = "a"\nmodel = "offline/extractive"\n' });
  await typed(['run', 'a', '-p', 'go'], cwd);
  expect(await typed(['chat', 'a', 'last', '--model', 'scripted/s.json'], cwd)).toEqual({
    code: 2,
    out: '',
    err: 'Error: --model is for a new conversation; this one goes on in a copy with: cadre fork last "…" --model scripted/s.json\n',
  });
});

test('the version is printed by an option as by a command', async () => {
  const [option, command] = await Promise.all([cadre('--version'), cadre('version')]);
  expect(option).toEqual({ code: 0, out: expect.stringMatching(/^cadre \d+\.\d+\.\d+\n$/), err: '' });
  expect(command).toEqual(option);
});

test('a run that is not there is not found, and no place is made for it', async () => {
  const cwd = await tempFolder();
  expect(await typed(['resume', 'zzz'], cwd)).toEqual({
    code: 2,
    out: '',
    err: 'Error: run not found: zzz; see: cadre runs\n',
  });
  expect(await readdir(cwd)).toEqual([]);
});
