import assert from 'node:assert';
import { describe, expect, it, vi } from 'vitest';
import { AgentFileError } from '../../../src/core/agent-schema/agent-source.ts';
import { AGENT_KEYS } from '../../../src/authoring/loading/agent-keys.ts';
import type { Agent } from '../../../src/core/agent-schema/agent.ts';
import { loadAgent } from '../../../src/core/agent-schema/load-agent.ts';
import { ConfigError } from '../../../src/errors.ts';
import { findAgentFile, openAgentFolders } from '../../../src/authoring/loading/folders/agent-folders.ts';
import { isTable, type TomlTable } from '../../../src/parse-toml.ts';
import { emptyFolder, tempFolder } from '../../fixtures/temp-folder.ts';

const REQUIRED = 'name = "x"\nmodel = "openai/gpt-5.1"\n';

const defaults: Agent = {
  name: 'x',
  model: 'openai/gpt-5.1',
  description: '',
  systemPrompt: '',
  skill: '',
  skills: [],
  files: [],
  workspace: {},
  workdir: '',
  timeout: 0,
  subAgents: [],
  tools: [],
  functions: [],
  remoteAgents: [],
  hooks: [],
  serve: {},
  mode: 'auto',
  permissions: { allow: [], ask: [], deny: [] },
  sandbox: { kind: 'none', network: false, image: '' },
  allowedHosts: [],
  models: [],
  subAgent: {
    enabled: true,
    maxDepth: 2,
    maxConcurrent: 1,
    warnAt: 20,
    pauseAt: 40,
    hardStopAt: 100,
    inheritMode: true,
    defaultBudget: { maxToolCalls: 15, maxTokens: 8192, timeoutMs: 60_000 },
  },
  mcpServers: [],
  maxDepth: 3,
  parallel: true,
  subAgentTimeout: 0,
  shareInput: false,
  express: false,
  background: false,
  params: { maxTokens: 0 },
  context: { compact: true, window: 0 },
  memory: { enabled: false, path: '', lastN: 0, maxEntries: 0, search: false, embedding: '' },
  retry: { maxRetries: 0, backoff: 'exponential', initialDelayMs: 500, maxDelayMs: 30_000 },
  budget: { maxTokens: 0, maxUsd: 0, maxTurns: 0, maxToolCalls: 0 },
  limits: { usdPerDay: 0, usdPerOwnerPerDay: 0 },
};

/** What a table needs to be in order. */
const NEEDED: Readonly<Record<string, string>> = {
  output: 'schema = { type = "object" }',
  schedule: 'rate = "1 day"',
  functions: 'name = "f"\ndescription = "d"\nfunction = "f"',
  guardrail: 'id = "abc"\nversion = "1"',
  hooks: 'on = "before_call"\nfile = "hooks/check.ts"',
  mcp_servers: 'name = "s"\nurl = "https://example.com"',
  remote_agents: 'name = "s"\nurl = "https://example.com"',
};

/** The header of every table that an agent file may have, and what else has to stand in it. */
const TABLES = tablesIn(AGENT_KEYS);

function tablesIn(known: TomlTable, above = ''): [header: string, needed: string][] {
  return Object.entries(known).flatMap(([key, inside]) => {
    const name = above + key;
    if (Array.isArray(inside)) return [[`[[${name}]]`, NEEDED[name] ?? '']];
    return isTable(inside) ? [[`[${name}]`, NEEDED[name] ?? ''], ...tablesIn(inside, `${name}.`)] : [];
  });
}

/** Loads agents/x.toml with this text. */
async function load(toml: string | Uint8Array) {
  const cwd = await tempFolder({ 'agents/x.toml': toml });
  return loadAgent('x', openAgentFolders({ cwd, env: { HOME: cwd } }));
}

/** The error of loading a file with this text. */
async function complaint(toml: string | Uint8Array): Promise<string> {
  const error: unknown = await load(toml).catch((thrown: unknown) => thrown);
  if (!(error instanceof ConfigError))
    throw new Error('it loads, or fails with another error', { cause: error });
  return error.message;
}

describe('an agent file', () => {
  it('takes the defaults for every key that it leaves out', async () => {
    const { agent, warnings } = await load(REQUIRED);
    expect(agent).toEqual(defaults);
    expect(warnings).toEqual([]);
  });

  it('gives every key its place', async () => {
    const { agent, warnings } = await load(`
name = "x"
model = "anthropic/claude-sonnet-4-5"
description = "d"
system_prompt = """
one
two"""
skill = "s"
skills = ["a", "b/*"]
workdir = "w"
files = ["a", "b/**"]
sub_agents = ["y", "z", "y"]
tools = ["files:read", "write_file"]
mode = "ask"
permissions.allow = ["write_file(docs/**)"]
permissions.deny = ["read_file(.env*)"]
sandbox = { kind = "isolated", network = true, image = "python:3.13-slim" }
allowed_hosts = ["*.example.com"]
models = ["openai/gpt-5.1"]
timeout = 60
sub_agents_config = { max_depth = 5, parallel = false, timeout = 30, share_input = true, express = true, background = "always" }
params.temperature = 0.5
params.max_tokens = 100
[memory]
enabled = true
path = "m"
last_n = 2
max_entries = 9
search = true
embedding = "openai/e"
owner = "agent"
[workspace]
owner = "person"
[context]
compact = false
window = 8_000
[retry]
max_retries = 4
backoff = "linear"
initial_delay_ms = 0
max_delay_ms = 10
[budget]
max_tokens = 1_000
[limits]
usd_per_day = 20
[sub_agent]
max_concurrent = 3
default_budget = { timeout_ms = 5000 }
[serve]
mcp = false
`);
    expect(warnings).toEqual([]);
    expect(agent).toEqual({
      name: 'x',
      model: 'anthropic/claude-sonnet-4-5',
      description: 'd',
      systemPrompt: 'one\ntwo',
      skill: 's',
      skills: ['a', 'b/*'],
      workdir: 'w',
      mcpServers: [],
      remoteAgents: [],
      files: ['a', 'b/**'],
      subAgents: ['y', 'z', 'y'],
      tools: ['files:read', 'write_file'],
      functions: [],
      hooks: [],
      serve: { mcp: false },
      mode: 'ask',
      permissions: { allow: ['write_file(docs/**)'], ask: [], deny: ['read_file(.env*)'] },
      sandbox: { kind: 'isolated', network: true, image: 'python:3.13-slim' },
      allowedHosts: ['*.example.com'],
      models: ['openai/gpt-5.1'],
      subAgent: {
        ...defaults.subAgent,
        maxConcurrent: 3,
        defaultBudget: { ...defaults.subAgent.defaultBudget, timeoutMs: 5000 },
      },
      timeout: 60,
      maxDepth: 5,
      parallel: false,
      subAgentTimeout: 30,
      shareInput: true,
      express: true,
      background: 'always',
      params: { temperature: 0.5, maxTokens: 100 },
      memory: {
        enabled: true,
        path: 'm',
        lastN: 2,
        maxEntries: 9,
        search: true,
        embedding: 'openai/e',
        owner: 'agent',
      },
      workspace: { owner: 'person' },
      context: { compact: false, window: 8000 },
      retry: { maxRetries: 4, backoff: 'linear', initialDelayMs: 0, maxDelayMs: 10 },
      budget: { maxTokens: 1000, maxUsd: 0, maxTurns: 0, maxToolCalls: 0 },
      limits: { usdPerDay: 20, usdPerOwnerPerDay: 0 },
    });
  });

  it('reads a depth of 0 as 3', async () => {
    const { agent } = await load(`${REQUIRED}[sub_agents_config]\nmax_depth = 0\n`);
    expect(agent).toEqual(defaults);
  });

  it('may begin with a byte order mark and end its lines as Windows does', async () => {
    const { agent } = await load(`\uFEFF${REQUIRED.replaceAll('\n', '\r\n')}description = "d"\r\n`);
    expect(agent).toEqual({ ...defaults, description: 'd' });
  });

  it('does not ask whether sub-agents, skill, files and model are any good', async () => {
    const { agent } = await load(
      'name = "x"\nmodel = "nonsense"\nsub_agents = ["../y"]\nskill = "no"\nfiles = ["["]\n',
    );
    expect(agent).toEqual({ ...defaults, model: 'nonsense', subAgents: ['../y'], skill: 'no', files: ['['] });
  });
});

describe('a rule of permissions', () => {
  it('may name a tool that the agent has or could have, with stars or without', async () => {
    const names = [
      '*',
      '*_file(.env)',
      'fetch_url',
      'w*',
      'weather',
      'mcp__*',
      'mcp__web__read',
      '*__delete_*',
    ];
    const { agent, warnings } = await load(`${REQUIRED}permissions.deny = ${JSON.stringify(names)}
functions = [{ name = "weather", description = "w", function = "w" }]
mcp_servers = [{ name = "web", url = "https://a.b" }]
`);
    expect({ deny: agent.permissions.deny, warnings }).toEqual({ deny: names, warnings: [] });
  });
});

describe('rules', () => {
  it.each([
    ['', '1:1: agent config missing required field: name'],
    ['model = "a/b"', '1:1: agent config missing required field: name'],
    ['name = "  "', '1:8: agent config missing required field: name'],
    ['name = "x"', '1:1: agent config missing required field: model'],
    ['name = "x"\nmodel = ""', '2:9: agent config missing required field: model'],
    [
      `${REQUIRED}[sub_agents_config]\nmax_depth = -1`,
      '4:13: sub_agents_config.max_depth must be non-negative',
    ],
    [`${REQUIRED}sub_agents_config.max_depth = 6`, '3:31: sub_agents_config.max_depth cannot exceed 5'],
    [`${REQUIRED}sub_agents_config = {timeout = -1}`, '3:32: sub_agents_config.timeout must be non-negative'],
    [`${REQUIRED}[memory]\nlast_n = -1`, '4:10: memory.last_n must be non-negative'],
    [`${REQUIRED}[memory]\nmax_entries = -1`, '4:15: memory.max_entries must be non-negative'],
    [`${REQUIRED}timeout = -5`, '3:11: timeout must be non-negative'],
    [`${REQUIRED}timeout = 864001`, '3:11: timeout cannot exceed 864000, which is ten days'],
    [`${REQUIRED}[params]\ntemperature = -0.1`, '4:15: params.temperature must be non-negative'],
    [`${REQUIRED}[params]\nmax_tokens = -1`, '4:14: params.max_tokens must be non-negative'],
    [`${REQUIRED}[retry]\nmax_retries = -1`, '4:15: retry.max_retries must be non-negative'],
    [`${REQUIRED}[budget]\nmax_usd = 0.0000000004`, '4:11: budget.max_usd must be 0 or at least 0.000001'],
    [
      `${REQUIRED}[schedule]\nrate = "1 hour"\nmax_usd = 0.0000009`,
      '5:11: schedule.max_usd must be 0 or at least 0.000001',
    ],
    [`${REQUIRED}[budget]\nmax_tokens = -1`, '4:14: budget.max_tokens must be non-negative'],
    [
      `${REQUIRED}permissions.deny = ["read_file", "run_comand(rm *)"]`,
      '3:34: permissions.deny[1]: unknown tool "run_comand"; did you mean "run_command"?',
    ],
    [
      `${REQUIRED}permissions.ask = ["mcp__docs__*"]\nmcp_servers = [{ name = "web", url = "https://a.b" }]`,
      '3:20: permissions.ask[0]: unknown tool "mcp__docs__*"; there are delete_file, edit_file, git_diff, git_log, glob, grep, list_directory, read_file, write_file, fork, kill, list_agents, mail_check, mail_delete, mail_filter, mail_read, mail_send, wait, ask_user, delegate_task, spawn_agent, sub_agent, fetch_url, run_command, web_search, memory_forget, memory_save, memory_search, read_skill_file, use_skill, mcp__web__*',
    ],
    [
      `${REQUIRED}permissions.deny = ["files:read(.env)"]`,
      '3:21: permissions.deny[0] "files:read(.env)" names a group: name its tools, git_diff, git_log, glob, grep, list_directory, read_file',
    ],
    [
      `${REQUIRED}permissions.deny = ["call_agent"]`,
      '3:21: permissions.deny[0] "call_agent" has no effect: sub_agents says which agents may be called',
    ],
    ...['/home/me/p/**', '~/.ssh/**', './../x'].map((pattern) => [
      `${REQUIRED}permissions.deny = ["read_file(${pattern})"]`,
      `3:21: permissions.deny[0] "read_file(${pattern})" fits no file: patterns of paths begin in the workdir, such as docs/**`,
    ]),
  ])('refuses %j', async (toml, message) => {
    expect(await complaint(toml)).toBe(`agents/x.toml:${message}`);
  });

  it('are told together with unknown keys, one of which may be the missing one', async () => {
    expect(await complaint('name = "x"\nmodle = "a/b"')).toBe(
      'agents/x.toml:1:1: agent config missing required field: model (agents/x.toml:2:1: unknown key "modle", did you mean "model"?)',
    );
  });

  it('are told at once of a table below 40,000 others', async () => {
    expect(await complaint(`name = "x"\nmodel = "a/b"\n[a${'.a'.repeat(40_000)}]`)).toMatch(
      /^agents\/x\.toml:3:2: unknown key "a"/,
    );
  });

  it('are told in one order, independent of the order in the file', async () => {
    const broken = [
      ['memory.max_entries = -1', '9', 'memory.max_entries must be non-negative'],
      ['memory.last_n = -1', '8', 'memory.last_n must be non-negative'],
      ['sub_agents_config.timeout = -1', '7', 'sub_agents_config.timeout must be non-negative'],
      ['sub_agents_config.max_depth = 6', '6', 'sub_agents_config.max_depth cannot exceed 5'],
      ['model = ""', '5', 'agent config missing required field: model'],
      ['name = ""', '4', 'agent config missing required field: name'],
    ] as const;
    const told = [];
    for (let count = 1; count <= broken.length; count += 1) {
      const present = broken.slice(0, count).map(([line]) => line);
      const required = REQUIRED.split('\n').filter(
        (line) => !present.some((other) => other.startsWith(line.slice(0, 4))),
      );
      told.push((await complaint([...required, ...present].join('\n'))).replace(/^[^ ]* /, ''));
    }
    expect(told).toEqual(broken.map(([, , message]) => message));
  });
});

describe('values of a wrong type', () => {
  it.each([
    ['timeout = "3"', '3:11: timeout must be an integer, got "3"'],
    ['timeout = 1.5', '3:11: timeout must be an integer, got 1.5'],
    ['timeout = inf', '3:11: timeout must be an integer, got inf'],
    ['timeout = 1979-05-27', '3:11: timeout must be an integer, got 1979-05-27'],
    ['timeout = true', '3:11: timeout must be an integer, got true'],
    ['timeout = [1]', '3:11: timeout must be an integer, got [1]'],
    ['[timeout]', '3:2: timeout must be an integer, got a table'],
    ['description = 3', '3:15: description must be a string, got 3'],
    ['files = "a"', '3:9: files must be an array of strings, got "a"'],
    ['files = [\n  "a",\n  2,\n]', '5:3: files[1] must be a string, got 2'],
    [
      '[sub_agents_config]\nparallel = "no"',
      '4:12: sub_agents_config.parallel must be true or false, got "no"',
    ],
    ['[params]\ntemperature = nan', '4:15: params.temperature must be a number, got nan'],
    ['[params]\ntemperature = inf', '4:15: params.temperature must be a number, got inf'],
    [
      '[params]\nreasoning_effort = "huge"',
      '4:20: params.reasoning_effort must be "none", "minimal", "low", "medium", "high", "xhigh" or "max", got "huge"',
    ],
    ['[params]\napi = "both"', '4:7: params.api must be "chat" or "responses", got "both"'],
    ['[retry]\nbackoff = "x"', '4:11: retry.backoff must be "exponential", "linear" or "fixed", got "x"'],
    ['memory = 3', '3:10: memory must be a table, got 3'],
    ['memory = []', '3:10: memory must be a table, got []'],
    ['memory = 1979-05-27', '3:10: memory must be a table, got 1979-05-27'],
    ['[[memory]]', '3:3: memory must be a table, got a table'],
  ])('refuses %j', async (toml, reason) => {
    expect(await complaint(REQUIRED + toml)).toBe(
      `failed to parse agent config "x": agents/x.toml:${reason}`,
    );
  });

  it('are told before broken rules, the first in the file first', async () => {
    expect(await complaint('timeout = "3"\nname = 4\n')).toBe(
      'failed to parse agent config "x": agents/x.toml:1:11: timeout must be an integer, got "3"',
    );
  });
});

describe('text that is no TOML', () => {
  it.each([
    ['name = ', '1:8: expected a value after "="'],
    ['name = "x"\nmodel = \ntimeout = 1', '2:9: expected a value after "="'],
    ['name = "x"\r\nmodel =\r\n\r\n[params]', '2:8: expected a value after "="'],
    ['name "x"', '1:6: illegal character in key, at "\\"x\\""'],
    [
      '{ "name": "x" }',
      '1:1: illegal character in key (this looks like JSON; in TOML, each line is: key = value), at "{ \\"name\\": \\"x\\" }"',
    ],
    [
      'name: x',
      '1:5: illegal character in key (this looks like YAML; in TOML, each line is: key = value), at ": x"',
    ],
    ['name = “x”', '1:8: invalid value (quotes have to be straight: "…"), at "“x”"'],
    ['name = offline/x', '1:8: invalid value (texts stand in quotes: "…"), at "offline/x"'],
    [
      'patience = 5m',
      '1:13: illegal character in numeric literal (a number has no unit; a text with one stands in quotes: "5m"), at "m"',
    ],
    [
      'name = "x"\nname = "y"',
      '2:1: trying to redefine an already defined table or value, at "name = \\"y\\""',
    ],
    ['[a]\n[a]', '2:2: trying to redefine an already defined table or value, at "a]"'],
    ['files = ["a"', '1:13: expected comma or end of structure'],
    [
      'name = "x\nmodel = "a/b"',
      '1:10: control characters are not allowed in strings (a text ends on its line; one of several stands in three quotes)',
    ],
    ['name = "\u0007"', '1:9: control characters are not allowed in strings, at "\\u0007\\""'],
    ['name = "\u0000"', '1:9: control characters are not allowed in strings, at "\\u0000\\""'],
    [
      'timeout = 9007199254740993',
      '1:11: integer value cannot be represented losslessly, at "9007199254740993"',
    ],
    [
      `a = ${'['.repeat(50_000)}${']'.repeat(50_000)}`,
      `1:1005: document contains excessively nested structures, at "${'['.repeat(60)}…"`,
    ],
    [Uint8Array.of(0x61, 0x0a, 0x22, 0x61, 0xff, 0x22), '2:3: the file is not UTF-8 text'],
    [Uint8Array.of(0xff, 0xfe, 0x61, 0x00), '1:1: the file is not UTF-8 text'],
  ])('%# is refused where it stands', async (toml, reason) => {
    expect(await complaint(toml)).toBe(`failed to parse agent config "x": agents/x.toml:${reason}`);
  });
});

it('the parser that knows places is loaded only to say where something is', async () => {
  vi.doMock('toml-eslint-parser', () => {
    throw new Error('loaded');
  });
  try {
    expect((await load(REQUIRED)).warnings).toEqual([]);
    expect(await complaint('name = ')).toMatch(/expected a value/);
    await expect(load(`${REQUIRED}modle = 1`)).rejects.toThrow(/error when mocking/);
  } finally {
    vi.doUnmock('toml-eslint-parser');
  }
});

describe('a key that is not known', () => {
  it('is refused with the nearest known one, and all others with it', async () => {
    const fault = await load(`modle = "a"\n${REQUIRED}temperature = 1
"Max Depth" = 1
[memory]
lastn = 3
frob.nicate = 1
[webhook]
url = "x"
[sub_agent_config]
timeout = 1
[__proto__]
timeout = 1
`).catch((thrown: unknown) => thrown);
    assert(fault instanceof AgentFileError);
    expect([fault.message, ...fault.more]).toEqual([
      'agents/x.toml:1:1: unknown key "modle", did you mean "model"?',
      'agents/x.toml:4:1: unknown key "temperature", did you mean "params.temperature"?',
      'agents/x.toml:5:1: unknown key "Max Depth", did you mean "sub_agents_config.max_depth"?',
      'agents/x.toml:7:1: unknown key "memory.lastn", did you mean "memory.last_n"?',
      'agents/x.toml:8:1: unknown key "memory.frob", known here: enabled, path, last_n, max_entries, search, embedding, owner',
      expect.stringContaining('agents/x.toml:9:2: unknown key "webhook", known here: name, model, '),
      'agents/x.toml:11:2: unknown key "sub_agent_config", did you mean "sub_agents_config"?',
      expect.stringContaining('agents/x.toml:13:2: unknown key "__proto__", known here: name, model, '),
    ]);
    expect(Object.hasOwn(Object.prototype, 'timeout')).toBe(false);
  });

  it.each(TABLES)('is refused in %s', async (header, rest) => {
    expect(await complaint(`${REQUIRED}${header}\nfrobnicate = 1\n${rest}`)).toMatch(
      /^agents\/x\.toml:4:1: unknown key ".*\bfrobnicate", known here: /,
    );
  });

  it.each([
    ['[permission]\ndeny = ["write_file"]', '3:2: unknown key "permission", did you mean "permissions"?'],
    [
      '[budget]\nmax_dollars = 0.5',
      '4:1: unknown key "budget.max_dollars", known here: max_tokens, max_usd, max_turns, max_tool_calls',
    ],
    ['x = 1', expect.stringContaining('3:1: unknown key "x", known here: name, model, ')],
    ['X-author = "me"', expect.stringContaining('3:1: unknown key "X-author", known here: name, model, ')],
  ])('may be one that protects: %j', async (toml, message: unknown) => {
    expect((await complaint(REQUIRED + toml)).replace('agents/x.toml:', '')).toEqual(message);
  });

  it('is no fault where it is the user’s own: a table x, and keys that begin with x-, in any table', async () => {
    const { agent, warnings } = await load(
      `${REQUIRED}x-owner = "me"\n[x]\nanything.at = ["all"]\n[x-team]\nname = 1\n[budget]\nx-why = "cheap"\n[budget.x]\nmax_usd = 1\n`,
    );
    expect([agent, warnings]).toEqual([defaults, []]);
  });
});

describe('oddities', () => {
  it('include a name that is not the name of the file', async () => {
    const { agent, warnings } = await load('name = "y"\nmodel = "openai/gpt-5.1"\n');
    expect(agent).toEqual({ ...defaults, name: 'y' });
    expect(warnings).toEqual([
      'agents/x.toml:1:8: name "y" is not the name of the file, the agent runs as "x"',
    ]);
  });
});

describe('looking up an agent', () => {
  const agent = (description: string) => `${REQUIRED}description = "${description}"\n`;

  it("prefers the project, then takes the user's own, and --agents-dir in place of both", async () => {
    const root = await tempFolder({
      'project/agents/x.toml': agent('project'),
      'config/cadre/agents/x.toml': agent('own'),
      'config/cadre/agents/y.toml': agent('own'),
      'other/x.toml': agent('other'),
    });
    const options = { cwd: `${root}/project`, env: { XDG_CONFIG_HOME: `${root}/config` } };
    const found = async (name: string, agentsDir?: string) => {
      const given = { ...options, ...(agentsDir && { agentsDir }) };
      const loaded = await loadAgent(name, openAgentFolders(given));
      const file = await findAgentFile(name, given);
      return { description: loaded.agent.description, path: file?.path, root: loaded.root };
    };
    expect(await found('x')).toEqual({
      description: 'project',
      path: 'agents/x.toml',
      root: `${root}/project`,
    });
    expect(await found('y')).toEqual({
      description: 'own',
      path: `${root}/config/cadre/agents/y.toml`,
      root: `${root}/config/cadre`,
    });
    expect(await found('x', '../other')).toEqual({
      description: 'other',
      path: `${root}/other/x.toml`,
      root,
    });
    await expect(found('y', '../other')).rejects.toThrow(new ConfigError('agent config not found: y'));
  });

  it('falls back to ~/.config where XDG_CONFIG_HOME is relative', async () => {
    const root = await tempFolder({ '.config/cadre/agents/x.toml': agent('home') });
    const source = openAgentFolders({
      cwd: `${root}/nowhere`,
      env: { HOME: root, XDG_CONFIG_HOME: 'config' },
    });
    expect((await loadAgent('x', source)).agent.description).toBe('home');
  });

  it.each([
    '',
    '.',
    '..',
    '../x',
    'a/b',
    'a\\b',
    '-x',
    '_x',
    'x.toml',
    'x ',
    'é',
    'x\n',
    'x\0',
    'a'.repeat(65),
  ])('does not touch a file for the name %j', async (name) => {
    const untouchable = () => Promise.reject(new Error('touched'));
    const source = { list: untouchable, read: untouchable, readSkill: untouchable };
    await expect(loadAgent(name, source)).rejects.toThrow(
      new ConfigError(
        `invalid agent name ${JSON.stringify(name)}: use 1 to 64 letters, digits, "-" or "_", starting with a letter or digit`,
      ),
    );
  });

  it.each([
    ['is missing', {}, 'agent config not found: x'],
    ['is in no agents folder', { agents: emptyFolder }, 'agent config not found: x'],
    [
      'is a folder',
      { 'agents/x.toml': emptyFolder },
      'failed to read agent config "x": agents/x.toml: it is a folder, not a file',
    ],
    [
      'is in a folder that is a file',
      { agents: 'text' },
      'failed to read agent config "x": agents/x.toml: a part of its path is a file, not a folder',
    ],
    [
      'is a link to itself',
      { 'agents/x.toml': { linkTo: 'x.toml' } },
      'failed to read agent config "x": agents/x.toml: its links lead round in a circle',
    ],
    [
      'is a device',
      { 'agents/x.toml': { linkTo: '/dev/zero' } },
      'failed to read agent config "x": agents/x.toml: it is not a regular file',
    ],
    [
      'is huge',
      { 'agents/x.toml': 'x'.repeat(1_000_001) },
      'failed to read agent config "x": agents/x.toml: it has 1000001 bytes, at most 1000000 are allowed',
    ],
  ])('says so when the file %s', async (_, entries, message) => {
    const cwd = await tempFolder(entries);
    const source = openAgentFolders({ cwd, env: { HOME: cwd } });
    await expect(loadAgent('x', source)).rejects.toMatchObject({ name: 'ConfigError', message });
  });
});
