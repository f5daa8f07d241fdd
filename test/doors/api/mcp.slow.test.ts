import type { Client } from '@modelcontextprotocol/client';
import { once } from 'node:events';
import { request } from 'node:http';
import { expect, test } from 'vitest';
import project from '../../../package.json' with { type: 'json' };
import { call, latch, silence, use, type Role } from '../../fixtures/stage.ts';
import { clientOf, ERAS } from './mcp-client.ts';
import { serveAgents } from './served-agents.ts';

const TREE = { top: 'sub_agents = ["kid"]\ndescription = "Finds out"\n' };
const tree: Record<string, Role> = {
  top: ({ turn }) => (turn === 1 ? [call('kid', 'x')] : 'the answer'),
  kid: () => 'so',
};

test('agents are tools, those left out that are sub-agents of others', async () => {
  const served = await serveAgents(
    { ...tree, other: () => 'so', hidden: () => 'so', shown: () => 'so' },
    {
      top: `${TREE.top}budget = { max_tokens = 500 }\ntimeout = 60\n`,
      other: 'sub_agents = ["shown", "other"]\n',
      hidden: 'serve = { mcp = false }\n',
      shown: 'serve = { mcp = true }\n',
    },
    { 'agents/bad.toml': 'name = 3' },
  );
  const client = await clientOf(served);
  expect(client.getServerVersion()).toEqual({ name: 'cadre', version: project.version });
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['other', 'shown', 'top', 'run_result']);
  expect(tools.find(({ name }) => name === 'top')).toMatchObject({
    description: 'Finds out',
    inputSchema: {
      type: 'object',
      properties: {
        prompt: { type: 'string' },
        input: { type: 'string' },
        timeout: { type: 'integer', minimum: 1, maximum: 60 },
        max_tokens: { type: 'integer', minimum: 1, maximum: 500 },
        max_usd: { type: 'number' },
      },
      required: ['prompt'],
      additionalProperties: false,
    },
  });
});

test.each(ERAS)('a call is a run, whose events are progress: %j', async (era) => {
  const served = await serveAgents(tree, TREE);
  const client = await clientOf(served, era);
  const progress: unknown[] = [];
  const result = await client.callTool(
    { name: 'top', arguments: { prompt: 'go', input: 'text', max_tokens: 5000 } },
    { onprogress: (each) => progress.push(each) },
  );
  const id = String(result._meta?.['cadre/run']);
  expect(result.content).toEqual([{ type: 'text', text: 'the answer' }]);
  expect(result.isError).toBeFalsy();
  expect((await served.get(`/runs/${id}`)).body).toMatchObject({ run_id: id, status: 'succeeded' });
  expect(served.stage.asked[0]?.message).toBe('go\n\nContext:\ntext');
  expect(progress).toEqual(
    ['top: turn 1', 'top: call_agent kid', 'kid: x', 'kid: turn 1', 'kid: succeeded', 'top: turn 2'].map(
      (message, index) => ({ progress: index + 1, message }),
    ),
  );
});

test('a run that fails is an error for the model that made the call', async () => {
  const served = await serveAgents(
    {
      top() {
        throw new Error('broken');
      },
    },
    { top: 'timeout = 60\n' },
  );
  const client = await clientOf(served);
  const failed = await client.callTool({ name: 'top', arguments: { prompt: 'go' } });
  const id = String(failed._meta?.['cadre/run']);
  expect(failed).toMatchObject({
    content: [{ type: 'text', text: `Error: run "${id}" failed: broken` }],
    isError: true,
  });
  const refusals = [
    [{ prompt: 3 }, 'prompt must be a string'],
    [{ prompt: 'go', odd: 1 }, 'odd is not known'],
    [{ prompt: 'go', wait: 0 }, 'wait must be at least 1'],
    [{ prompt: 'go', max_usd: 0 }, 'max_usd must be at least 0.000001'],
    [{ prompt: 'go', timeout: 61 }, "timeout must be at most 60, the agent's own; it is 61"],
  ] as const;
  for (const [given, text] of refusals) {
    expect(await client.callTool({ name: 'top', arguments: given })).toMatchObject({
      content: [{ type: 'text', text: `Error: ${text}` }],
      isError: true,
    });
  }
  expect(served.stage.asked).toHaveLength(1);
});

test('an answer that a limit cut short says so', async () => {
  const served = await serveAgents(
    { ...tree, top: () => ({ text: 'so far', calls: [call('kid', 'x')] }) },
    { top: `${TREE.top}budget = { max_turns = 1 }\n` },
  );
  const { content, isError } = await (
    await clientOf(served)
  ).callTool({ name: 'top', arguments: { prompt: 'go' } });
  expect(isError).toBeFalsy();
  expect(content).toEqual([
    { type: 'text', text: 'so far' },
    { type: 'text', text: expect.stringMatching(/^\[This may be incomplete: .*turns/) },
  ]);
});

test.each(ERAS)(
  'a call that waits no longer gives the id of the run, whose answer is asked for: %j',
  async (era) => {
    const goesOn = latch();
    const served = await serveAgents({
      async top() {
        await goesOn.opened;
        return 'at last';
      },
    });
    const client = await clientOf(served, era);
    const early = await client.callTool({ name: 'top', arguments: { prompt: 'go', wait: 1 } });
    const id = String(early._meta?.['cadre/run']);
    expect(early.content).toEqual([
      {
        type: 'text',
        text: `The agent is still at work. Call run_result with the run_id "${id}" for its answer.`,
      },
    ]);
    const late = client.callTool({ name: 'run_result', arguments: { run_id: id } });
    goesOn.open();
    expect((await late).content).toEqual([{ type: 'text', text: 'at last' }]);
    const again = await client.callTool({ name: 'run_result', arguments: { run_id: id } });
    expect(again.content).toEqual([{ type: 'text', text: 'at last' }]);
    const nobody = await client.callTool({ name: 'run_result', arguments: { run_id: 'top-00000000000000' } });
    expect(nobody).toMatchObject({
      isError: true,
      content: [{ text: 'Error: no run "top-00000000000000"' }],
    });
  },
);

test.each([
  ['is cancelled', ERAS[1], (leaving: AbortController) => Promise.resolve(leaving.abort())],
  ['is cancelled', ERAS[0], (leaving: AbortController) => Promise.resolve(leaving.abort())],
  ['has lost its client', ERAS[1], (_: AbortController, client: Client) => client.close()],
  ['has lost its client', ERAS[0], (_: AbortController, client: Client) => client.close()],
])('a call that %s stops the run with everything below it: %j', async (_, era, leave) => {
  const begun = latch();
  const served = await serveAgents(
    {
      ...tree,
      kid(asked) {
        begun.open();
        return silence(asked);
      },
    },
    TREE,
  );
  const closed = new Promise<string[]>((resolve) => {
    const ended: string[] = [];
    served.stage.onEvent((event) => {
      if (event.type === 'run_closed' && ended.push(`${event.agent} ${event.status}`) === 2) resolve(ended);
    });
  });
  const client = await clientOf(served, era);
  const leaving = new AbortController();
  const calling = client.callTool({ name: 'top', arguments: { prompt: 'go' } }, { signal: leaving.signal });
  const refused = calling.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  await begun.opened;
  await leave(leaving, client);
  expect(await refused).toBeInstanceOf(Error);
  expect((await closed).sort()).toEqual(['kid stopped', 'top stopped']);
});

const ASKING = { top: 'tools = ["ask_user"]\n' };
const asking: Role = ({ results }) =>
  results.length === 0
    ? [use('ask_user', { question: 'Which one?', choices: ['red', 'blue'] })]
    : `you said ${results.join()}`;

test('a question is a form where the client shows forms', async () => {
  const served = await serveAgents({ top: asking }, ASKING);
  const seen: unknown[] = [];
  const client = await clientOf(served, ERAS[1], (asked) => {
    seen.push(asked);
    return { content: { choice: 'blue' } };
  });
  const { content } = await client.callTool({ name: 'top', arguments: { prompt: 'go' } });
  expect(content).toEqual([{ type: 'text', text: 'you said blue' }]);
  expect(seen).toMatchObject([
    {
      message: 'top: Which one?',
      requestedSchema: {
        type: 'object',
        properties: { choice: { type: 'string', enum: ['red', 'blue'] }, text: { type: 'string' } },
      },
    },
  ]);
});

test.each([{ action: 'decline' }, { action: 'cancel' }, { content: { text: ' ' } }])(
  'an answer of the form %j names no person',
  async (fill) => {
    const served = await serveAgents({ top: asking }, ASKING);
    const client = await clientOf(served, ERAS[1], () => fill);
    const { content } = await client.callTool({ name: 'top', arguments: { prompt: 'go' } });
    expect(content).toEqual([{ type: 'text', text: 'you said (question could not be answered)' }]);
  },
);

test.each(ERAS)('a client that shows no forms names no person: %j', async (era) => {
  const served = await serveAgents({ top: asking }, { top: `${ASKING.top}patience = "1h"\n` });
  const client = await clientOf(served, era);
  const { content } = await client.callTool({ name: 'top', arguments: { prompt: 'go' } });
  expect(content).toEqual([{ type: 'text', text: 'you said (question could not be answered)' }]);
});

test('an approval is a form with the arguments of the call', async () => {
  const served = await serveAgents(
    {
      top: ({ results, turn }) =>
        turn < 3 ? [use('write_file', { path: `${turn}.txt`, content: 'x' })] : results.join(),
    },
    { top: 'tools = ["files"]\nmode = "ask"\n' },
  );
  const messages: string[] = [];
  const client = await clientOf(served, ERAS[1], ({ message }) => {
    messages.push(message);
    return message.includes('1.txt')
      ? { content: { choice: 'approve' } }
      : { content: { choice: 'deny', text: 'not this one' } };
  });
  const { content } = await client.callTool({ name: 'top', arguments: { prompt: 'go' } });
  expect(messages[0]).toBe('top: Allow write_file: 1.txt?\n\n{\n  "path": "1.txt",\n  "content": "x"\n}');
  expect(messages).toHaveLength(2);
  expect(JSON.stringify(content)).toContain('not this one');
});

const OUTPUT_SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const OUTPUT = `[output]
schema = { type = "object", properties = { city = { type = "string" } }, required = ["city"], additionalProperties = false }
`;

test.each(ERAS)(
  'an agent whose answers have a schema is listed with it, and answers with a value: %j',
  async (era) => {
    const served = await serveAgents({ top: () => '{"city": "Ulm"}', plain: () => 'so' }, { top: OUTPUT });
    const client = await clientOf(served, era);
    const { tools } = await client.listTools();
    expect(tools.map(({ name, outputSchema }) => [name, outputSchema])).toEqual([
      ['plain', undefined],
      ['top', OUTPUT_SCHEMA],
      ['run_result', undefined],
    ]);
    const result = await client.callTool({ name: 'top', arguments: { prompt: 'go' } });
    const answer = {
      content: [{ type: 'text', text: '{"city": "Ulm"}' }],
      structuredContent: { city: 'Ulm' },
    };
    expect(result).toMatchObject(answer);
    const again = await client.callTool({
      name: 'run_result',
      arguments: { run_id: result._meta?.['cadre/run'] },
    });
    expect(again).toMatchObject(answer);
    expect(await client.callTool({ name: 'plain', arguments: { prompt: 'go' } })).not.toHaveProperty(
      'structuredContent',
    );
  },
);

test.each(ERAS)(
  'where its answer is not there or not whole, the result is an error without a value: %j',
  async (era) => {
    const goesOn = latch();
    const served = await serveAgents(
      {
        async late() {
          await goesOn.opened;
          return '{"city": "Ulm"}';
        },
        cut: () => ({ text: 'so far', calls: [call('plain', 'x')] }),
        plain: () => 'so',
      },
      { late: OUTPUT, cut: `sub_agents = ["plain"]\nbudget = { max_turns = 1 }\n${OUTPUT}` },
    );
    const client = await clientOf(served, era);
    await client.listTools();
    const cut = await client.callTool({ name: 'cut', arguments: { prompt: 'go' } });
    expect(cut).toMatchObject({ isError: true, content: [{ text: 'so far' }, {}] });
    const late = await client.callTool({ name: 'late', arguments: { prompt: 'go', wait: 1 } });
    expect(late).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('run_result') }] });
    goesOn.open();
    const run_id = late._meta?.['cadre/run'];
    expect(await client.callTool({ name: 'run_result', arguments: { run_id } })).toMatchObject({
      structuredContent: { city: 'Ulm' },
    });
  },
);

test.each(['who shows forms', 'who shows none'])(
  'a client %s reads the result of a run of another, and leaves what that asks a person to others',
  async (who) => {
    const served = await serveAgents(
      { top: ({ turn }) => (turn === 1 ? [use('write_file', { path: 'a', content: 'x' })] : 'written') },
      { top: 'tools = ["files"]\nmode = "ask"\npatience = "1h"\n' },
    );
    const { body } = await served.post('/agents/top/runs', { json: { prompt: 'go' } });
    const run_id = String(body['run_id']);
    const questions = async () => (await served.get('/questions')).body;
    await expect.poll(questions).toMatchObject({ questions: [{ run_id }] });
    const before = await questions();
    const approve = () => ({ content: { choice: 'approve' } });
    const client = await clientOf(served, undefined, who === 'who shows forms' ? approve : undefined);
    const read = () => client.callTool({ name: 'run_result', arguments: { run_id, wait: 1 } });
    expect(await read()).toMatchObject({ content: [{ text: expect.stringContaining('still at work') }] });
    expect(await questions()).toEqual(before);
    await served.post(`/runs/${run_id}/questions/t1c1/answer`, { json: { text: 'approve' } });
    await expect.poll(read).toMatchObject({ content: [{ text: 'written' }] });
  },
);

test('the rules for hosts and tokens hold for /mcp', async () => {
  const served = await serveAgents({ top: () => 'so' }, {}, {}, undefined, { token: 'a-token-of-this-test' });
  const ask = (headers: Record<string, string>) =>
    fetch(`${served.server.url}/mcp`, { method: 'POST', headers, body: '{}' });
  expect((await ask({})).status).toBe(401);
  const authorization = 'Bearer a-token-of-this-test';
  expect((await ask({ authorization, origin: 'https://example.com' })).status).toBe(403);
  expect((await ask({ authorization, 'content-type': 'application/json' })).status).toBe(400);
});

test.each(['/mcp', '/v1/chat/completions'])(
  'without a token, %s refuses other hosts and pages',
  async (path) => {
    const { server, stage } = await serveAgents({ top: () => 'so' });
    const statusFor = async (headers: Record<string, string>) => {
      const asked = request(server.url + path, { method: 'POST', headers }).end('{}');
      const [answer] = await once(asked, 'response');
      answer.resume();
      return answer.statusCode;
    };
    expect(await statusFor({ host: 'rebound.example' })).toBe(403);
    expect(await statusFor({ origin: 'https://example.com' })).toBe(403);
    expect(await statusFor({ 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(stage.asked).toEqual([]);
  },
);
