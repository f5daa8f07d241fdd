import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AgentDetails } from '../../../src/doors/api/answers.ts';
import * as v from 'valibot';
import { problem, serveAgents } from './served-agents.ts';

const FILES = {
  'agents/full.toml': `name = "full"
model = "stage/full"
description = "Does it all"
system_prompt = "the secret recipe"
files = ["*.md"]
workdir = "private"
sub_agents = ["plain"]
tools = ["files:read", "run_command", "spawn_agent"]
timeout = 60
[sub_agents_config]
max_depth = 2
parallel = false
timeout = 5
[params]
temperature = 0.5
max_tokens = 100
reasoning_effort = "low"
api = "chat"
[budget]
max_tokens = 1000
max_usd = 0.5
[schedule]
cron = "0 9 ? * mon-fri *"
timezone = "Europe/Berlin"
prompt = "the secret question"
[permissions]
ask = ["run_command", "read_file(keys/**)"]
deny = ["grep"]
`,
  'private/facts.md': 'It is so.\n',
  'agents/broken.toml': 'name = "broken"\nmodel = 5\n',
};

const PLAIN = {
  name: 'plain',
  description: '',
  model: 'stage/plain',
  timeout: 0,
  sub_agents: [],
  sub_agents_config: { max_depth: 3, parallel: true, timeout: 0 },
  params: { max_tokens: 0 },
  budget: { max_tokens: 0, max_usd: 0, max_turns: 0, max_tool_calls: 0 },
  tools: [],
  calls: [],
};

const FULL = {
  name: 'full',
  description: 'Does it all',
  model: 'stage/full',
  timeout: 60,
  sub_agents: ['plain'],
  sub_agents_config: { max_depth: 2, parallel: false, timeout: 5 },
  params: { temperature: 0.5, max_tokens: 100, reasoning_effort: 'low', api: 'chat' },
  budget: { max_tokens: 1000, max_usd: 0.5, max_turns: 0, max_tool_calls: 0 },
  schedule: {
    expression: 'cron(0 9 ? * MON-FRI *)',
    timezone: 'Europe/Berlin',
    enabled: true,
    next: expect.any(String),
  },
  tools: [
    { name: 'call_agent', permission: 'allow', writes: false },
    { name: 'glob', permission: 'allow', writes: false },
    { name: 'grep', permission: 'deny', writes: false },
    { name: 'list_directory', permission: 'allow', writes: false },
    { name: 'read_file', permission: 'allow', rules: ['ask read_file(keys/**)'], writes: false },
    { name: 'run_command', permission: 'ask', writes: true },
    { name: 'spawn_agent', permission: 'allow', writes: true },
  ],
  calls: [
    { agent: 'plain', by: 'call_agent' },
    { agent: 'full', by: 'spawn_agent' },
  ],
};

const FAULT = 'failed to parse agent config "broken": broken.toml:2:9: model must be a string, got 5';

test('agents are listed by name, with the agents that they may call and without their prompts, and those with a fault apart', async () => {
  const { get } = await serveAgents({ plain: () => '' }, {}, FILES);
  expect(await get('/agents')).toMatchObject({
    status: 200,
    body: { agents: [FULL, PLAIN], faults: [{ agent: 'broken', detail: FAULT }] },
  });
});

test('an agent is read by its name, with all that shapes its runs', async () => {
  const { get, post } = await serveAgents({ plain: () => '' }, {}, FILES);
  const { status, body } = await get('/agents/full');
  expect(status).toBe(200);
  const { tools, plan, limits, ...others } = v.parse(AgentDetails, body);
  expect(tools.map(({ description: _description, ...tool }) => tool)).toEqual(FULL.tools);
  expect(tools.find(({ name }) => name === 'glob')?.description).toMatch(/\bfiles\b/);
  const { tools: _tools, ...full } = FULL;
  expect(others).toEqual({
    ...full,
    file: FILES['agents/full.toml'],
    version: expect.stringMatching(/^[0-9a-f]{12}$/),
    prompt: 'the secret recipe\n\n---\n\n## Context Files\n\n### facts.md\n```md\nIt is so.\n\n```',
    files: ['facts.md'],
    servers: [],
    remembers: false,
  });
  expect(limits).toEqual({
    timeout: 60,
    max_depth: 2,
    parallel: false,
    sub_agent_timeout: 5,
    max_answer_tokens: 100,
    max_tokens: 1000,
    max_usd: 0.5,
    copies: {
      max_depth: 2,
      max_concurrent: 1,
      max_tool_calls: 15,
      max_tokens: 8_192,
      timeout_ms: 60_000,
      hard_stop_at: expect.any(Number),
    },
  });
  expect(plan).toMatchObject({ agent: 'full', sub_agents: ['plain'], depth: 2 });
  const run = await post('/agents/plain/runs?wait=20', { json: { prompt: 'go' } });
  const { version } = (await get(`/runs/${String(run.body['run_id'])}`)).body;
  expect((await get('/agents/plain')).body['version']).toBe(version);
});

test('an agent whose sub-agents have none of their own may call them all the same, and has the limits that it sets', async () => {
  const { get } = await serveAgents(
    { plain: () => '', lead: () => '' },
    {
      lead: `sub_agents = ["plain"]
patience = 60
[sub_agents_config]
max_depth = 1
[budget]
max_turns = 3
max_tool_calls = 4
[limits]
usd_per_day = 5
usd_per_owner_per_day = 0.5
`,
    },
    {},
  );
  const { calls, limits } = v.parse(AgentDetails, (await get('/agents/lead')).body);
  expect([calls, limits]).toEqual([
    [{ agent: 'plain', by: 'call_agent' }],
    {
      timeout: 120,
      max_depth: 1,
      parallel: true,
      patience: 60,
      max_turns: 3,
      max_tool_calls: 4,
      usd_per_day: 5,
      usd_per_owner_per_day: 0.5,
    },
  ]);
  expect(v.parse(AgentDetails, (await get('/agents/plain')).body).limits).toEqual({
    timeout: 120,
    max_depth: 3,
    parallel: true,
  });
});

test('an agent of which no run would begin says why', async () => {
  const { get } = await serveAgents(
    {},
    {},
    { 'agents/odd.toml': 'name = "odd"\nmodel = "m/x"\nskill = "none"\n' },
  );
  expect((await get('/agents/odd')).body).toMatchObject({
    version: null,
    prompt: null,
    fault: expect.stringContaining('skill not found: '),
  });
});

test('what has changed since a run was opened is told, part by part', async () => {
  const { get, post, stage } = await serveAgents(
    { plain: () => 'so' },
    { plain: 'tools = ["read_file", "grep"]\n' },
  );
  const { body } = await post('/agents/plain/runs?wait=20', { json: { prompt: 'go', timeout: 50 } });
  const run = String(body['run_id']);
  const { version } = (await get(`/runs/${run}`)).body;
  const report = { run_id: run, agent: 'plain', opened: run, version };
  const changes = async () => (await get(`/runs/${run}/changes`)).body;
  expect(await changes()).toEqual({ ...report, version_now: version, changes: [] });
  const file = join(stage.cwd, 'agents/plain.toml');
  await writeFile(
    file,
    'name = "plain"\nmodel = "stage/other"\nsystem_prompt = "Be plain."\ntools = ["read_file", "glob"]\n[permissions]\nask = ["read_file"]\n[budget]\nmax_turns = 5\n',
  );
  expect(await changes()).toEqual({
    ...report,
    version_now: expect.not.stringMatching(String(version)),
    changes: [
      { part: 'model', name: 'model', was: 'stage/plain', is: 'stage/other' },
      { part: 'prompt', name: 'prompt', was: '', is: 'Be plain.' },
      { part: 'tool', name: 'grep', was: expect.stringContaining('"description"'), is: null },
      { part: 'tool', name: 'glob', was: null, is: expect.stringContaining('"description"') },
      { part: 'permission', name: 'ask', was: null, is: 'read_file' },
      { part: 'setting', name: 'budget.max_turns', was: null, is: '5' },
    ],
  });
  await writeFile(file, 'name = "plain"\n');
  expect(await changes()).toMatchObject({
    version_now: null,
    changes: [],
    fault: expect.stringContaining('model'),
  });
});

test.each(['none', '..%2Fagents%2Ffull', '%00', 'a.b', 'a'.repeat(65)])(
  'there is no agent %j',
  async (name) => {
    const { get } = await serveAgents({}, {}, FILES);
    const { status, body } = await get(`/agents/${name}`);
    expect(status).toBe(404);
    expect(body['title']).toBe('Not Found');
  },
);

test('an agent whose file is wrong is told of with file, line and column', async () => {
  const { get, post } = await serveAgents({}, {}, FILES);
  const fault = problem(422, 'Unprocessable Content', FAULT);
  expect((await get('/agents/broken')).body).toEqual(fault);
  expect((await post('/agents/broken/runs')).body).toEqual(fault);
});

test('an agent whose file cannot be read is told of by the name of its file', async () => {
  const { get } = await serveAgents({}, {}, { 'agents/odd.toml/inside.txt': 'a folder' });
  const detail = 'failed to read agent config "odd": odd.toml: it is a folder, not a file';
  expect((await get('/agents/odd')).body).toEqual(problem(422, 'Unprocessable Content', detail));
  expect((await get('/agents')).body).toEqual({ agents: [], faults: [{ agent: 'odd', detail }] });
});

test('a missing path is not found, and what a route does not take is refused', async () => {
  const { ask } = await serveAgents({});
  expect((await ask('GET', '/there')).body).toEqual(problem(404, 'Not Found', 'there is no /there here'));
  const refused = await ask('DELETE', '/agents');
  expect(refused.headers.get('allow')).toBe('GET');
  expect(refused.body).toEqual(problem(405, 'Method Not Allowed', '/agents does not take DELETE'));
  expect((await ask('OPTIONS', '/agents/a/runs')).headers.get('allow')).toBe('POST');
  expect((await ask('PUT', '/runs/a/messages')).headers.get('allow')).toBe('GET, POST');
});
