import { describe, expect, it } from 'vitest';
import { checkAgents } from '../../../src/doors/cli/commands/check-agents.ts';
import { runAgent } from '../../../src/doors/cli/commands/run.ts';
import { EXIT } from '../../../src/doors/cli/terminal/exit-code.ts';
import { ConfigError } from '../../../src/errors.ts';
import { startCommand } from '../../fixtures/command.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { typed } from '../../fixtures/typed.ts';

const SCRIPT = '{"conversations":[{"turns":[{"text":"x"}]}]}';

const agent = (name: string, rest = '', model = 'openai/gpt-5.1') =>
  `name = "${name}"\nmodel = "${model}"\n${rest}`;

describe('agents check', () => {
  const check = (entries: Record<string, string>, ...names: string[]) => checkIn({}, entries, ...names);

  async function checkIn(env: Record<string, string>, entries: Record<string, string>, ...names: string[]) {
    const io = recordedIo(await tempFolder(entries), { env });
    const code = await checkAgents(names, {}, io);
    return { code, out: io.out, err: io.err.replaceAll(io.cwd, 'ROOT').trimEnd().split('\n') };
  }

  it('reads the skills that an agent may load, and says where what is wrong with them is', async () => {
    const skill = (name: string) => `---\nname: ${name}\ndescription: d\n---\n\nDo it.\n`;
    const entries = {
      'agents/a.toml': agent('a', 'skills = ["good", "skills/b*", "god"]'),
      'agents/b.toml': agent('b', 'skills = ["good", "team/*"]'),
      'agents/c.toml': agent('c', 'skills = ["good"]'),
      'skills/good/SKILL.md': skill('good'),
      'skills/bad/SKILL.md': skill('Bad'),
      'team/good/SKILL.md': skill('good'),
    };
    expect(await check(entries)).toEqual({
      code: EXIT.configuration,
      out: 'c: ok\n',
      err: [
        'Error: agents/a.toml:3:19: skills/bad/SKILL.md:2:7: name "Bad" is none: use 1 to 64 small letters (a to z), digits and single hyphens, such as "pdf-forms"',
        'Error: agents/a.toml:3:32: skill not found: ROOT/skills/god/SKILL.md; did you mean "good"?',
        'Error: agents/b.toml:3:1: two skills are called "good": skills/good and team/good',
      ],
    });
  });

  it('tells errors and warnings in the order of the file', async () => {
    const rest = 'sub_agents = ["gone"]\nmodels = ["offline/extractive"]\nworkdir = "gone"';
    const { err } = await check({ 'agents/a.toml': agent('a', rest, 'scripted/gone.json') });
    expect(err.map((line) => line.replace(/(:\d+:\d+): .*$/, '$1'))).toEqual([
      'Error: agents/a.toml:2:9',
      'Error: agents/a.toml:3:15',
      'Warning: agents/a.toml:4:1',
      'Error: agents/a.toml:5:11',
    ]);
  });

  it('says what to do with what was meant as an agent, and is none', async () => {
    const entries = {
      'agents/a.toml': agent('a'),
      'agents/a.md': '---\nname: a\n---\nAbout a.\n',
      'agents/b c.md': '---\nname: b\ndescription: b\n---\nYou are b.\n',
      'agents/d.json': '{"name": "d", "model": "openai/gpt-5.1"}',
      'agents/README.md': '# Agents\n',
      'agents/schema.json': '{"type": "object", "properties": {"name": {"type": "string"}}}',
    };
    const ok = { code: EXIT.success, out: 'a: ok\n' };
    expect(await check(entries)).toEqual({
      ...ok,
      err: [
        "Warning: agents/b c.md: no agent, since agents are TOML files: cadre import 'agents/b c.md'",
        'Warning: agents/d.json: no agent, since agents are TOML files: write d.toml',
      ],
    });
    expect(await check(entries, 'a')).toEqual({ ...ok, err: [''] });
  });

  it('prints a line for each agent that has all that it refers to', async () => {
    const entries = {
      'agents/a.toml': agent(
        'a',
        'sub_agents = ["b", "a"]\nskill = "s"\nworkdir = "w"\nfiles = ["x.md", "d/*"]',
      ),
      'agents/b.toml': agent('b', 'skill = "own/b.md"\nfiles = ["w/**/y.*"]', 'scripted/x.json'),
      'skills/s/SKILL.md': 's',
      'own/b.md': 'b',
      'x.json': SCRIPT,
      'w/x.md': 'x',
      'w/d/y.bin': 'y',
    };
    expect(await check(entries)).toEqual({ code: EXIT.success, out: 'a: ok\nb: ok\n', err: [''] });
    expect(await check(entries, 'b', 'b')).toMatchObject({ code: EXIT.success, out: 'b: ok\n' });
  });

  it('names everything that is wrong in a file, and odd keys beside it', async () => {
    const checked = await check({
      'agents/a.toml': agent('a', 'timeout = "10s"\nsub_agents = "b"\npatience = "a day"\nmods = "ask"\n'),
      'agents/b.toml': agent('b', 'tools = ["file"]\n[budget]\nmax_usd = -1\n'),
    });
    expect(checked).toEqual({
      code: EXIT.configuration,
      out: '',
      err: [
        'Error: failed to parse agent config "a": agents/a.toml:3:11: timeout must be an integer, got "10s"',
        'Error: agents/a.toml:4:14: sub_agents must be an array of strings, got "b"',
        'Error: agents/a.toml:5:12: patience must be a duration such as "30s", "5m", "1h" or "7d", got "a day"',
        'Error: agents/a.toml:6:1: unknown key "mods", did you mean "mode"?',
        'Error: agents/b.toml:3:10: unknown tool "file"; did you mean "files"?',
        'Error: agents/b.toml:5:11: budget.max_usd must be non-negative',
      ],
    });
  });

  it("names every key that there is not, in any table, and only warns of a name that is not the file's", async () => {
    const checked = await check({
      'agents/b.toml': agent('c'),
      'agents/a.toml': agent(
        'a',
        `patiance = "1h"
sub_agent.default_budget = { max_tokns = 1 }
[permissions]
dney = ["read_file"]
[budget]
max_usdd = 0.5
[[functions]]
name = "f"
description = "d"
function = "f"
parameters = { type = "object", anything = 1 }
repeat = false
[[mcp_servers]]
name = "s"
url = "https://example.com"
headers = { anything = "x" }
tool = ["x"]
[colour]
of = "all"
`,
      ),
    });
    expect(checked).toEqual({
      code: EXIT.configuration,
      out: 'b: ok\n',
      err: [
        'Error: agents/a.toml:3:1: unknown key "patiance", did you mean "patience"?',
        'Error: agents/a.toml:4:30: unknown key "sub_agent.default_budget.max_tokns", did you mean "sub_agent.default_budget.max_tokens"?',
        'Error: agents/a.toml:6:1: unknown key "permissions.dney", did you mean "permissions.deny"?',
        'Error: agents/a.toml:8:1: unknown key "budget.max_usdd", did you mean "budget.max_usd"?',
        'Error: agents/a.toml:14:1: unknown key "functions[0].repeat", known here: name, description, function, file, offer, env, parameters, timeout, repeatable, writes',
        'Error: agents/a.toml:19:1: unknown key "mcp_servers[0].tool", did you mean "mcp_servers.tools"?',
        expect.stringMatching(
          /^Error: agents\/a\.toml:20:2: unknown key "colour", known here: name, model, /,
        ),
        'Warning: agents/b.toml:1:8: name "c" is not the name of the file, the agent runs as "b"',
      ],
    });
  });

  it('says where it has looked if there are no agents', async () => {
    const { code, out, err } = await check({});
    expect([code, out, err[0]]).toEqual([
      EXIT.success,
      '',
      expect.stringMatching(/^no agents in \.\/agents or .*; create one with: cadre agents init <name>$/),
    ]);
  });

  it('warns of secrets that are missing, without those that are there', async () => {
    const own = `[[functions]]
name = "f"
description = "d"
file = "f.ts"
env = { A = "\${THERE}", B = "\${GONE}", C = "c" }
[[mcp_servers]]
name = "docs"
url = "https://docs.example.com"
headers = { Authorization = "Bearer \${GONE_TOO}" }
`;
    const files = { 'agents/a.toml': agent('a', own), 'f.ts': 'export const handler = () => 1;' };
    expect(await checkIn({ THERE: 'canary' }, files)).toEqual({
      code: EXIT.success,
      out: 'a: ok\n',
      err: [
        'Warning: agents/a.toml:7:29: function "f" needs the secret GONE: set GONE in the environment, or in [secrets] of config.toml',
        'Warning: agents/a.toml:11:29: server "docs" needs the secret GONE_TOO: set GONE_TOO in the environment, or in [secrets] of config.toml',
      ],
    });
  });

  it('warns of settings for copies of an agent that have no effect', async () => {
    const checked = await check({
      'agents/a.toml': agent('a', 'models = ["openai/gpt-5"]\n[sub_agent]\nmax_concurrent = 2\n'),
      'agents/b.toml': agent('b', 'tools = ["spawn_agent", "sub_agent"]\nmode = "plan"\n'),
      'agents/c.toml': agent(
        'c',
        'tools = ["delegate_task"]\n[sub_agent]\npause_at = 30\nwarn_at = 8\nhard_stop_at = 10\n' +
          'default_budget = { max_tool_calls = 11 }\n',
      ),
      'agents/d.toml': agent('d', 'tools = ["spawn_agent"]\nsub_agent.hard_stop_at = 5\n'),
      'agents/e.toml': agent('e', 'tools = ["files:read", "agents"]\nmode = "plan"\n'),
    });
    expect(checked).toEqual({
      code: EXIT.success,
      out: 'a: ok\nb: ok\nc: ok\nd: ok\ne: ok\n',
      err: [
        'Warning: agents/a.toml:3:1: models has no effect without "sub_agent" in tools',
        'Warning: agents/a.toml:4:2: [sub_agent] has no effect without "spawn_agent" or "delegate_task" in tools',
        'Warning: agents/b.toml:3:10: mode plan takes spawn_agent away',
        'Warning: agents/c.toml:5:12: pause_at is never reached: the run ends at hard_stop_at = 10',
        'Warning: agents/c.toml:8:37: no sub-agent gets more tool calls than hard_stop_at = 10',
        'Warning: agents/e.toml:3:24: mode plan takes fork away',
      ],
    });
  });

  it('says where a service is asked for that the provider of the model does not have', async () => {
    const served = (name: string, service: string, model: string, more = '') =>
      agent(name, `[params]\nservice = "${service}"\n${more}`, model);
    const checked = await check({
      'agents/a.toml': served('a', 'batch', 'anthropic/claude-opus-4-7'),
      'agents/b.toml': served('b', 'batch', 'ollama/llama3.2'),
      'agents/c.toml': served('c', 'flex', 'anthropic/claude-opus-4-7'),
    });
    expect(checked.err).toEqual([
      'Warning: agents/b.toml:4:11: service "batch" has no effect with "ollama/llama3.2": anthropic and openai have it',
      'Warning: agents/c.toml:4:11: service "flex" has no effect with "anthropic/claude-opus-4-7": openai has it',
    ]);
  });

  it('says where something is that is not there, and what was probably meant', async () => {
    const checked = await check({
      'agents/digest.toml': agent('digest'),
      'agents/x.toml': `name = "x"
model = "opnai/gpt-5.1"
skill = "minuets"
files = [
  "docs/READM.md",
  "docs/*.txt",
  "[",
]
sub_agents = ["digset", "digest", "../y", "broken"]
`,
      'agents/broken.toml': 'name = "broken"\nmodel = ',
      'agents/gone.toml': agent('gone', 'files = ["a"]\nworkdir = "nowhere"'),
      'skills/minutes/SKILL.md': '',
      'docs/README.md': '',
    });
    expect(checked).toEqual({
      code: EXIT.configuration,
      out: 'digest: ok\n',
      err: [
        'Error: failed to parse agent config "broken": agents/broken.toml:2:9: expected a value after "="',
        'Error: agents/gone.toml:4:11: failed to read workdir ROOT/nowhere: there is no such file or folder',
        'Error: agents/x.toml:2:9: unsupported provider "opnai": supported providers are anthropic, azure, bedrock, gemini, groq, lmstudio, mistral, offline, ollama, openai, openrouter, scripted, vllm; did you mean "openai"?',
        'Error: agents/x.toml:3:9: skill not found: ROOT/skills/minuets/SKILL.md; did you mean "minutes"?',
        'Error: agents/x.toml:5:3: file "docs/READM.md" does not exist in ROOT; did you mean "docs/README.md"?',
        'Error: agents/x.toml:6:3: no file matches "docs/*.txt" in ROOT',
        expect.stringMatching(/^Error: agents\/x\.toml:7:3: invalid glob pattern "\["/),
        'Error: agents/x.toml:9:15: agent config not found: digset; did you mean "digest"?',
        expect.stringMatching(/^Error: agents\/x\.toml:9:35: invalid agent name "\.\.\/y"/),
        'Error: agents/x.toml:9:43: failed to parse agent config "broken": agents/broken.toml:2:9: expected a value after "="',
      ],
    });
  });

  it('proposes no agent for itself', async () => {
    const checked = await check({ 'agents/facts.toml': agent('facts', 'sub_agents = ["fact"]') });
    expect(checked).toEqual({
      code: EXIT.configuration,
      out: '',
      err: ['Error: agents/facts.toml:3:15: agent config not found: fact'],
    });
  });

  it.each([
    ['anthropic/claude-sonet-4-5', 'anthropic/claude-sonnet-4-5'],
    ['anthropic/claude-sonnet-45-20250929', 'anthropic/claude-sonnet-4-5'],
    ['openai/gpt5.1', 'openai/gpt-5.1'],
    ['bedrock/us.anthropic.claude-opus-45', 'bedrock/anthropic.claude-opus-4-5'],
  ])('warns of %s, which is nearly a known model', async (model, meant) => {
    expect(await check({ 'agents/a.toml': agent('a', '', model) })).toEqual({
      code: EXIT.success,
      out: 'a: ok\n',
      err: [`Warning: agents/a.toml:2:9: model "${model}" is not known here; did you mean "${meant}"?`],
    });
  });

  it.each(['openai/gpt-5.3', 'anthropic/claude-sonnet-4-5-20250929', 'openai/gpt-5.1-codex', 'groq/gpt5.1'])(
    'takes %s for what it says',
    async (model) => {
      expect((await check({ 'agents/a.toml': agent('a', '', model) })).err).toEqual(['']);
    },
  );

  it('knows the providers that the user has set up', async () => {
    const checked = await check({
      'agents/x.toml': agent('x', '', 'acme/big-one'),
      'agents/y.toml': agent('y', '', 'acmee/big-one'),
      'no-config/cadre/config.toml': '[providers.acme]\nprotocol = "openai"\n',
    });
    expect(checked).toMatchObject({ code: EXIT.configuration, out: 'x: ok\n' });
    expect(checked.err).toEqual([
      expect.stringMatching(
        /^Error: agents\/y\.toml:2:9: unsupported provider "acmee": supported providers are acme, anthropic, .*; did you mean "acme"\?$/,
      ),
    ]);
  });

  it.each([
    ['ollama/llama3.2', 'exists on this machine only: an account does not start it'],
    ['scripted/x.json', 'exists on this machine only: an account does not start it'],
    ['vllm/qwen3', 'exists on this machine only: an account does not start it'],
    ['offline/extractive', 'only picks sentences'],
  ])('warns of a schedule whose model is %s', async (model, why) => {
    const checked = await check({
      'agents/x.toml': agent('x', '[schedule]\nrate = "1 day"', model),
      'x.json': SCRIPT,
    });
    expect(checked).toEqual({
      code: EXIT.success,
      out: 'x: ok\n',
      err: [`Warning: agents/x.toml:3:2: the model of this schedule, "${model}", ${why}`],
    });
  });

  it('looks into the scripts that models play', async () => {
    const checked = await check({
      'agents/a.toml': agent(
        'a',
        'tools = ["sub_agent"]\nmodels = ["scripted/good.toml", "scripted/bad.toml"]',
        'scripted/s/x.json',
      ),
      'agents/b.toml': agent('b', '', 'scripted/gone.json'),
      'agents/c.toml': agent('c', '', 'scripted/odd.json'),
      's/x.json': '{"conversations": [\n  {"turns": [{"text": hello}]}\n]}',
      'good.toml': '[[conversations]]\nturns = [{ text = "x" }]',
      'bad.toml': '[[conversations]]\nturns = [',
      'agents/d.toml': agent('d', '', 'scripted/odd.toml'),
      'agents/e.toml': agent('e', '', 'scripted/lack.json'),
      'odd.json': '{"conversations":\n  [{"turns":[]}]}',
      'odd.toml': '[[conversations]]\n[[conversations.turns]]\ntext = "x"\n[[conversations.turns]]\ntext = 5',
      'lack.json': '{"conversations": [\n  {"turns": [{"text": "x"}]},\n  {"match": "x"}\n]}',
    });
    expect(checked).toEqual({
      code: EXIT.configuration,
      out: '',
      err: [
        'Error: agents/a.toml:2:9: s/x.json:2:23: it is not valid JSON',
        'Error: agents/a.toml:4:33: bad.toml:2:9: unfinished array',
        'Error: agents/b.toml:2:9: failed to read script "gone.json": the project contains no such readable file',
        'Error: agents/c.toml:2:9: odd.json:2:13: conversations[0].turns: expected at least one turn',
        'Error: agents/d.toml:2:9: odd.toml:5:8: conversations[0].turns[1].text: invalid type: Expected string',
        'Error: agents/e.toml:2:9: lack.json:3:3: conversations[1].turns: missing',
      ],
    });
  });

  it('bundles the modules of functions', async () => {
    const calls = (...files: string[]) =>
      files.map((file, index) => `[[functions]]\nname = "f${index}"\ndescription = "d"\nfile = "${file}"\n`);
    const checked = await check({
      'agents/a.toml': agent('a', calls('t/good.ts', 't/again.ts', 't/old.cjs').join('')),
      'agents/b.toml': agent(
        'b',
        calls('t/bad.ts', 't/none.ts', 't/lost.ts', 't/gone.ts', 't/bare.ts').join(''),
      ),
      't/good.ts': 'export const handler = (x: { a: string }) => x.a;\nthrow new Error("it is not run");',
      't/again.ts': 'export * from "./good.ts";',
      't/old.cjs': 'exports.handler = () => 1;',
      't/bad.ts': 'export function handler() {\n  return (1;\n}',
      't/none.ts': 'export function handle() {}',
      't/bare.ts': 'import { x } from "@not-there/at-all/deep.js";\nexport const handler = () => x;',
      't/lost.ts': 'import { x } from "./nowhere.ts";\nexport const handler = () => x;',
    });
    expect(checked).toEqual({
      code: EXIT.configuration,
      out: 'a: ok\n',
      err: [
        'Error: agents/b.toml:6:8: t/bad.ts:2:12: Expected ")" but found ";"',
        'Error: agents/b.toml:10:8: t/none.ts:1:1: the module exports no function "handler"',
        'Error: agents/b.toml:14:8: t/lost.ts:1:19: Could not resolve "./nowhere.ts"',
        'Error: agents/b.toml:18:8: module t/gone.ts: not found',
        'Error: agents/b.toml:22:8: t/bare.ts:1:19: Could not resolve "@not-there/at-all/deep.js"; is it installed? npm install @not-there/at-all',
      ],
    });
  });

  it('says what to install where there is no esbuild', async () => {
    const cwd = await tempFolder({
      'agents/a.toml': agent('a', '[[functions]]\nname = "f"\ndescription = "d"\nfile = "f.ts"'),
      'f.ts': 'export const handler = () => 1;',
      'hidden.mjs': `
        export const resolve = (name, context, next) => next(name === 'esbuild' ? 'no-esbuild' : name, context);
      `,
      'hide.mjs': `
        import { register } from 'node:module';
        register('./hidden.mjs', import.meta.url);
      `,
    });
    const command = startCommand(['agents', 'check'], cwd, { NODE_OPTIONS: `--import ${cwd}/hide.mjs` });
    expect(await command.ended()).toEqual({
      code: EXIT.configuration,
      out: '',
      err: 'Error: agents/a.toml:6:8: modules need esbuild, which is not installed: npm install --save-dev esbuild\n',
    });
  });

  it('warns of fetch_url without a host that it may reach', async () => {
    const checked = await check({ 'agents/x.toml': agent('x', 'tools = ["files", "fetch_url"]') });
    expect(checked).toEqual({
      code: EXIT.success,
      out: 'x: ok\n',
      err: [
        'Warning: agents/x.toml:3:19: fetch_url can reach no host: name those that it may in allowed_hosts',
      ],
    });
  });

  it('warns of tools that change only what was read, without one that reads', async () => {
    const checked = await check({
      'agents/a.toml': agent('a', 'tools = ["edit_file", "grep", "delete_file", "write_file"]'),
      'agents/b.toml': agent('b', 'tools = ["edit_file", "files:read"]'),
      'agents/c.toml': agent('c', 'tools = ["write_file", "grep"]'),
    });
    expect(checked).toEqual({
      code: EXIT.success,
      out: 'a: ok\nb: ok\nc: ok\n',
      err: [
        'Warning: agents/a.toml:3:10: edit_file needs files to be read first: add "read_file" to tools',
        'Warning: agents/a.toml:3:31: delete_file needs files to be read first: add "read_file" to tools',
      ],
    });
  });

  it('says where it looked for an agent that is not there', async () => {
    expect(await check({ 'agents/digest.toml': agent('digest') }, 'digset', 'digest')).toEqual({
      code: EXIT.configuration,
      out: 'digest: ok\n',
      err: [
        'Error: agent config not found: digset; did you mean "digest"? searched: ./agents, ./no-config/cadre/agents',
      ],
    });
  });
});

const READ = 'Error: f failed - f.ts:1:31: Unexpected end of file';

describe('a run', () => {
  async function dryRun(entries: Record<string, string>, options = {}) {
    const io = recordedIo(await tempFolder(entries));
    const code = await runAgent('top', { dryRun: true, ...options }, io);
    return { code, err: io.err.replaceAll(io.cwd, 'ROOT') };
  }

  it('warns of what it would only come upon on its way', async () => {
    const { code, err } = await dryRun({
      'agents/top.toml': agent(
        'top',
        'files = ["a.md", "*.none"]\nsub_agents = ["mid", "gone", "odd"]\n[[functions]]\nname = "f"\ndescription = "d"\nfile = "f.ts"',
      ),
      'agents/mid.toml': agent(
        'mid',
        'sub_agents = ["top", "low"]\nskill = "none"\nfiles = ["*.none"]',
        'offline/extractive',
      ),
      'agents/low.toml': agent('low', 'files = ["b.md"]', 'openai/gpt-5'),
      'agents/odd.toml': agent('odd', '[permission]\ndeny = ["write_file"]'),
    });
    expect([code, ...err.trimEnd().split('\n')]).toEqual([
      EXIT.success,
      'Warning: agents/top.toml:3:10: file "a.md" does not exist in ROOT',
      'Warning: agents/top.toml:4:22: agent config not found: gone',
      'Warning: agents/top.toml:4:30: agents/odd.toml:3:2: unknown key "permission", did you mean "permissions"?',
      'Warning: agents/top.toml:8:8: module f.ts: not found',
      'Warning: agents/mid.toml:4:9: skill not found: ROOT/skills/none/SKILL.md',
      expect.stringMatching(
        /^Warning: agents\/low\.toml:2:9: API key for provider "openai" is not configured \(set OPENAI_API_KEY, /,
      ),
      'Warning: agents/low.toml:3:10: file "b.md" does not exist in ROOT',
    ]);
  });

  it('is refused before it exists if the model of an agent that it can call is none', async () => {
    const files = {
      'agents/top.toml': agent('top', 'sub_agents = ["mid"]'),
      'agents/mid.toml': agent('mid', 'sub_agents = ["low"]'),
      'agents/low.toml': agent('low', '', 'opnai/gpt-5'),
    };
    const reason = /^agents\/low\.toml:2:9: unsupported provider "opnai": .*; did you mean "openai"\?$/;
    await expect(dryRun(files)).rejects.toThrow(reason);
    await expect(dryRun(files, { model: 'offline/extractive' })).rejects.toThrow(reason);
    const cwd = await tempFolder(files);
    const io = recordedIo(cwd);
    const checked = await checkAgents(['top'], {}, io);
    expect([checked, io.out, io.err.replace(/^Error: |\n$/g, '')]).toEqual([
      EXIT.configuration,
      '',
      expect.stringMatching(reason),
    ]);
  });

  it('warns of secrets that its functions and sub-agents would miss', async () => {
    const { code, err } = await dryRun({
      'agents/top.toml': agent(
        'top',
        'sub_agents = ["low"]\n[[functions]]\nname = "f"\ndescription = "d"\nfile = "f.ts"\nenv = { A = "${GONE}", B = "b" }',
      ),
      'agents/low.toml': agent(
        'low',
        '[[mcp_servers]]\nname = "s"\ncommand = "x"\nenv = { A = "${GONE_TOO}" }',
        'offline/extractive',
      ),
      'f.ts': 'export const handler = () => 1;',
    });
    expect([code, ...err.trimEnd().split('\n')]).toEqual([
      EXIT.success,
      'Warning: agents/top.toml:8:13: function "f" needs the secret GONE: set GONE in the environment, or in [secrets] of config.toml',
      'Warning: agents/low.toml:6:13: server "s" needs the secret GONE_TOO: set GONE_TOO in the environment, or in [secrets] of config.toml',
    ]);
  });

  it('warns of a tool that cannot be loaded, once, and its model reads why', async () => {
    const call = { name: 'f', arguments: {} };
    const script = { conversations: [{ turns: [{ calls: [call, call] }, { text: '{{results}}' }] }] };
    const cwd = await tempFolder({
      'agents/top.toml': agent(
        'top',
        '[[functions]]\nname = "f"\ndescription = "d"\nfile = "f.ts"',
        'scripted/s.json',
      ),
      'f.ts': 'export const handler = () => (',
      's.json': JSON.stringify(script),
    });
    const { code, out, err } = await typed(['run', 'top'], cwd);
    expect({ code, out, warnings: err.split('\n').filter((line) => line.startsWith('Warning')) }).toEqual({
      code: EXIT.success,
      out: `${READ}\n\n${READ}`,
      warnings: ['Warning: agents/top.toml:6:8: f.ts:1:31: Unexpected end of file'],
    });
  });

  it('looks for files where it is told to', async () => {
    const entries = { 'agents/top.toml': agent('top', 'files = ["a.md"]\nworkdir = "x"'), 'y/a.md': '' };
    expect(await dryRun(entries, { workdir: 'y' })).toEqual({ code: EXIT.success, err: '' });
  });

  it.each([true, false])('needs its workdir to be there (dry: %s)', async (isDry) => {
    const fault = /^failed to read workdir .*\/nowhere: there is no such file or folder$/;
    const entries = { 'agents/top.toml': agent('top', 'workdir = "nowhere"') };
    const running = dryRun(entries, { dryRun: isDry });
    await expect(running).rejects.toThrow(fault);
    await expect(running).rejects.toBeInstanceOf(ConfigError);
    const given = dryRun({ 'agents/top.toml': agent('top') }, { dryRun: isDry, workdir: 'nowhere' });
    await expect(given).rejects.toThrow(fault);
  });
});
