import { expect, test } from 'vitest';
import { problem, serveAgents } from './served-agents.ts';

const FILES = {
  'agents/full.toml': `name = "full"
model = "stage/full"
description = "Does it all"
system_prompt = "the secret recipe"
files = ["private/*.md"]
workdir = "private"
sub_agents = ["plain"]
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
`,
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
  schedule: { expression: 'cron(0 9 ? * MON-FRI *)', timezone: 'Europe/Berlin', enabled: true },
};

const FAULT = 'failed to parse agent config "broken": broken.toml:2:9: model must be a string, got 5';

test('agents are listed by name, without their prompts and paths, and those with a fault apart', async () => {
  const { get } = await serveAgents({ plain: () => '' }, {}, FILES);
  expect(await get('/agents')).toMatchObject({
    status: 200,
    body: { agents: [FULL, PLAIN], faults: [{ agent: 'broken', detail: FAULT }] },
  });
});

test('an agent is read by its name', async () => {
  const { get } = await serveAgents({}, {}, FILES);
  const { status, body } = await get('/agents/full');
  expect({ status, body }).toEqual({ status: 200, body: FULL });
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
});
