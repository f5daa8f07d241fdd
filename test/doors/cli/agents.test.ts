import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { editAgent, initAgent, listAgents, showAgent } from '../../../src/doors/cli/commands/agents.ts';
import { ConfigError } from '../../../src/errors.ts';
import { AGENT_KEYS } from '../../../src/authoring/loading/agent-keys.ts';
import { loadAgent } from '../../../src/core/agent-schema/load-agent.ts';
import { dottedKeys } from '../../../src/known-keys.ts';
import { parseToml } from '../../../src/parse-toml.ts';
import { openAgentFolders } from '../../../src/authoring/loading/folders/agent-folders.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { emptyFolder, tempFolder } from '../../fixtures/temp-folder.ts';

const agent = (name: string, rest = '') => `name = "${name}"\nmodel = "openai/gpt-5.1"\n${rest}`;

describe('agents list', () => {
  it('prints every agent of the project and of the user, sorted, and what is wrong on stderr', async () => {
    const root = await tempFolder({
      'agents/b.toml': agent('b', 'description = "does b,\\n and more"'),
      'agents/a.toml': agent('z'),
      'agents/odd.toml': agent('odd', 'modle = "x"'),
      'agents/broken.toml': 'name = "broken"',
      'agents/no toml.toml': 'x',
      'agents/folder.toml': emptyFolder,
      'agents/README.md': '',
      'agents/.#a.toml': '',
      'config/cadre/agents/c.toml': agent('c', 'description = "own"'),
      'config/cadre/agents/b.toml': agent('b', 'description = "hidden by the project"'),
    });
    const io = recordedIo(root, { env: { XDG_CONFIG_HOME: `${root}/config` } });
    await listAgents({}, io);
    expect(io.out).toBe('a\nb - does b, and more\nc - own\n');
    expect(io.err.split('\n')).toEqual([
      'Warning: agents/a.toml:1:8: name "z" is not the name of the file, the agent runs as "a"',
      'Error: agents/broken.toml:1:1: agent config missing required field: model',
      'Error: failed to read agent config "folder": agents/folder.toml: it is a folder, not a file',
      'Error: agents/no toml.toml: invalid agent name "no toml": use 1 to 64 letters, digits, "-" or "_", starting with a letter or digit',
      'Error: agents/odd.toml:3:1: unknown key "modle", did you mean "model"?',
      '',
    ]);
  });

  it('says where it has looked if there are no agents folders, and creates none', async () => {
    const io = recordedIo(await tempFolder());
    await listAgents({}, io);
    const said =
      'no agents in ./agents or ./no-config/cadre/agents; create one with: cadre agents init <name>\n';
    expect([io.out, io.err]).toEqual(['', said]);
    await expect(readFile(`${io.cwd}/agents`)).rejects.toThrow('ENOENT');
  });

  it('refuses a folder that it cannot read', async () => {
    const io = recordedIo(await tempFolder({ agents: 'a file' }));
    await expect(listAgents({}, io)).rejects.toThrow(
      new ConfigError('failed to read agents folder agents: a part of its path is a file, not a folder'),
    );
    await expect(listAgents({ agentsDir: 'none' }, io)).rejects.toThrow(
      new ConfigError('failed to read agents folder none: there is no such file or folder'),
    );
  });
});

describe('agents show', () => {
  it('prints what is set, in one order, and knows every key', async () => {
    const text = agent(
      'full',
      `description = "d"
system_prompt = "You are full."
skill = "s"
skills = ["a", "b/*"]
files = ["a", "b/**"]
workdir = "w"
timeout = 90
patience = "2h"
sub_agents = ["x", "y"]
sub_agents_config = { max_depth = 4, parallel = false, timeout = 60, share_input = true, express = true, background = true }
tools = ["files:read", "fetch_url", "spawn_agent"]
models = ["openai/gpt-5.1-mini"]
sub_agent = { enabled = true, max_depth = 1, max_concurrent = 3, warn_at = 1, pause_at = 2, hard_stop_at = 9, inherit_mode = true, default_budget = { max_tool_calls = 5, max_tokens = 500, timeout_ms = 5000 } }
mode = "ask"
allowed_hosts = ["docs.example.com"]
sandbox = { kind = "isolated", network = true, image = "python:3.13-slim" }
permissions = { allow = ["write_file(docs/**)"], ask = ["fetch_url"], deny = ["read_file(.env*)"] }
params = { temperature = 0.5, max_tokens = 100, reasoning_effort = "low", api = "chat", service = "batch", stream = false, images = true }
context = { compact = false, window = 32000 }
output = { schema = "schemas/x.json" }
serve = { mcp = true }
memory = { enabled = true, path = "p", last_n = 5, max_entries = 50, search = true, embedding = "openai/e", owner = "person" }
workspace = { owner = "agent" }
retry = { max_retries = 2, backoff = "linear", initial_delay_ms = 10, max_delay_ms = 20 }
functions = [{ name = "f", description = "d", function = "x", timeout = 5, repeatable = false, writes = false, offer = true }]
hooks = [{ on = "before_call", function = "f", tools = ["fetch_url", "spawn_agent"], timeout = 5 }]
guardrail = { id = "abc", version = "2" }
mcp_servers = [{ name = "m", url = "https://m.example", tools = ["t"], disallowed_tools = ["d"], read_only = ["t"], timeout = 5, required = false, instructions = true }]
remote_agents = [{ name = "r", url = "https://r.example", headers = {} }]
budget = { max_tokens = 1000, max_usd = 0.25, max_turns = 30, max_tool_calls = 40 }
limits = { usd_per_day = 20, usd_per_owner_per_day = 2.5 }
[schedule]
at = "2020-01-31T10:00:00"
timezone = "Europe/Berlin"
prompt = "What is new?"
service = "flex"
enabled = true
max_tokens = 500
max_usd = 0.1
`,
    );
    const ofCommands = [
      'args',
      'command',
      'cwd',
      'env',
      'headers',
      'auth',
      'client_id',
      'client_secret',
      'issuer',
      'scopes',
    ].map((key) => `mcp_servers.${key}`);
    const ofFunctions = ['functions.env', 'functions.file', 'functions.parameters', 'hooks.file'];
    const unset = ['schedule.cron', 'schedule.rate', ...ofFunctions, ...ofCommands];
    expect([...dottedKeys(parseToml(text)), ...unset].sort()).toEqual(dottedKeys(AGENT_KEYS).sort());
    const io = recordedIo(
      await tempFolder({ 'agents/full.toml': text, 'schemas/x.json': '{"type":"object"}' }),
    );
    await showAgent('full', {}, io);
    expect(io.out).toBe(`Name:           full
Description:    d
Model:          openai/gpt-5.1
System Prompt:  You are full.
Skill:          s
Skills:         a, b/*
Files:          a, b/**
Workdir:        w
Sub-Agents:     x, y
Max Depth:      4
Parallel:       no
Timeout:        60s
Share Input:    yes
Express:        yes
Background:     yes
Tools:          files:read, fetch_url, spawn_agent
Models:         openai/gpt-5.1-mini
Spawns:         3 at once, to depth 1
Spawn Budget:   5 tool calls, 500 tokens, 5000 ms
Hard Stop:      9 tool calls
Functions:      f
Hooks:          f before_call of fetch_url spawn_agent
Guardrail:      abc, version 2
Patience:       2h
Mode:           ask
Allow:          write_file(docs/**)
Ask:            fetch_url
Deny:           read_file(.env*)
Hosts:          docs.example.com
Sandbox:        isolated, with network, deployed in python:3.13-slim
Servers:        m (https://m.example)
Remote Agents:  r (https://r.example)
Output:         schemas/x.json
MCP Tool:       yes
Memory:         enabled
Memory Path:    p
Memory Last N:  5
Memory Max:     50
Memory Search:  yes
Embedding:      openai/e
Memory Owner:   person
Files Owner:    agent
Temperature:    0.5
Max Tokens:     100
Reasoning:      low
API:            chat
Stream:         false
Images:         true
Service:        batch
Compaction:     off
Window:         32000
Run Timeout:    90s
Max Retries:    2
Backoff:        linear
Retry Delay:    10ms to 20ms
Token Budget:   1000
Dollar Budget:  0.25
Turn Budget:    30
Call Budget:    40
Daily Limit:    20
Owner Limit:    2.5
Schedule:       at(2020-01-31T10:00:00) Europe/Berlin
Next Run:       never
Prompt:         What is new?
Service:        flex
Run Tokens:     500
Run Dollars:    0.1
`);
  });

  it('leaves out what is not set, and what only matters with sub-agents', async () => {
    const io = recordedIo(
      await tempFolder({ 'agents/x.toml': agent('x', 'sub_agents_config = { max_depth = 4 }') }),
    );
    await showAgent('x', {}, io);
    expect([io.out, io.err]).toEqual(['Name:           x\nModel:          openai/gpt-5.1\n', '']);
  });

  it('shows the defaults that sub-agents are run with', async () => {
    const io = recordedIo(await tempFolder({ 'other/x.toml': agent('x', 'sub_agents = ["y"]') }));
    await showAgent('x', { agentsDir: 'other' }, io);
    expect(io.out).toBe(
      'Name:           x\nModel:          openai/gpt-5.1\nSub-Agents:     y\nMax Depth:      3\nParallel:       yes\n',
    );
  });

  it('says that there is no such agent', async () => {
    const io = recordedIo(await tempFolder());
    await expect(showAgent('x', {}, io)).rejects.toThrow(new ConfigError('agent config not found: x'));
  });
});

describe('agents init', () => {
  it('writes an agent that loads, and with every comment opened still does', async () => {
    const io = recordedIo(await tempFolder({ agents: emptyFolder }));
    await initAgent('new', {}, io);
    expect(io.out).toBe(`${io.cwd}/agents/new.toml\n`);
    const text = await readFile(io.out.trim(), 'utf8');
    const active = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(active.map((line) => line.split(' ')[0])).toEqual(['name', 'description', 'model']);
    expect(text).toContain('# [sub_agents_config]\n# max_depth = 3\n# parallel = true\n# timeout = 120\n');

    const opened = text.replaceAll(/^# (?=\[|\w+ = |You are|""")/gm, '');
    const root = await tempFolder({ 'agents/new.toml': opened });
    const loaded = await loadAgent('new', openAgentFolders({ cwd: root, env: { HOME: root } }));
    expect(loaded.warnings).toEqual([]);
    expect(loaded.agent).toMatchObject({
      skill: 'sample',
      memory: { lastN: 10 },
      budget: { maxTokens: 100_000 },
    });
  });

  it('names the schema that editors check the file with, where one is installed', async () => {
    const firstLine = async (files: Parameters<typeof tempFolder>[0], cwd = '.') => {
      const root = await tempFolder({ ...files, 'project/agents': emptyFolder });
      const io = recordedIo(join(root, 'project'));
      await initAgent('x', cwd === '.' ? {} : { agentsDir: cwd }, io);
      return (await readFile(io.out.trim(), 'utf8')).split('\n', 1)[0];
    };
    const schema = 'node_modules/cadre/schemas/agent.schema.json';
    expect(await firstLine({ [`project/${schema}`]: '{}' })).toBe(`#:schema ../${schema}`);
    expect(await firstLine({ [`project/${schema}`]: '{}' }, 'more/agents')).toBe(`#:schema ../../${schema}`);
    expect(await firstLine({ [schema]: '{}' })).toBe(`#:schema ../../${schema}`);
    expect(await firstLine({ 'project/node_modules/cadre/package.json': '{}' })).toBe('name = "x"');
  });

  it('never writes over an agent', async () => {
    const io = recordedIo(
      await tempFolder({ 'agents/x.toml': 'mine', 'agents/l.toml': { linkTo: 'nowhere' } }),
    );
    for (const name of ['x', 'l']) {
      await expect(initAgent(name, {}, io)).rejects.toThrow(
        new ConfigError(`agent config already exists: ${io.cwd}/agents/${name}.toml`),
      );
    }
    expect(await readFile(`${io.cwd}/agents/x.toml`, 'utf8')).toBe('mine');
  });

  it("writes to the user's own folder where the project has none, or to the one that is given", async () => {
    const root = await tempFolder();
    const io = recordedIo(root, { env: { XDG_CONFIG_HOME: `${root}/config` } });
    await initAgent('x', {}, io);
    await initAgent('x', { agentsDir: 'given/agents' }, io);
    expect(io.out).toBe(`${root}/config/cadre/agents/x.toml\n${root}/given/agents/x.toml\n`);
  });

  it('refuses a bad name, and a folder that cannot be', async () => {
    const io = recordedIo(await tempFolder({ file: '' }));
    await expect(initAgent('../x', {}, io)).rejects.toThrow(/^invalid agent name "\.\.\/x": /);
    await expect(initAgent('x', { agentsDir: 'file' }, io)).rejects.toThrow(
      new ConfigError(`failed to write agent config ${io.cwd}/file/x.toml: it exists already`),
    );
  });
});

describe('agents edit', () => {
  it('opens the file in $EDITOR, options included, and tells what is wrong with it after', async () => {
    const root = await tempFolder({
      'agents/x.toml': agent('x'),
      'my editor': '#!/bin/sh\necho "$1" >> "$2"\n',
    });
    const io = recordedIo(root, {
      env: { EDITOR: "sh './my editor' 'modle = 3'", PATH: process.env['PATH'] ?? '' },
    });
    await editAgent('x', {}, io);
    expect(await readFile(`${root}/agents/x.toml`, 'utf8')).toBe(agent('x', 'modle = 3\n'));
    expect(io.err).toBe('Warning: agents/x.toml:3:1: unknown key "modle", did you mean "model"?\n');
  });

  it('needs an editor, an agent, and an editor that does well', async () => {
    const root = await tempFolder({ 'agents/x.toml': agent('x') });
    const io = (editor?: string) =>
      recordedIo(root, { env: { PATH: process.env['PATH'] ?? '', ...(editor && { EDITOR: editor }) } });
    await expect(editAgent('x', {}, io())).rejects.toThrow(
      new ConfigError('$EDITOR environment variable is not set'),
    );
    await expect(editAgent('y', {}, io('true'))).rejects.toThrow(
      new ConfigError('agent config not found: y'),
    );
    await expect(editAgent('x', {}, io('exit 3;'))).rejects.toThrow(
      new ConfigError('$EDITOR (exit 3;) ended with code 3'),
    );
  });
});
