import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, jsonSchema, Output, streamText } from 'ai';
import OpenAI, { APIError } from 'openai';
import { expect, test } from 'vitest';
import { createOpenAiApi } from '../../../src/doors/api/openai/openai-api.ts';
import { call, latch, silence, use, type Role } from '../../fixtures/stage.ts';
import { contextOf, serveAgents, type Served } from './served-agents.ts';

function clientOf({ server }: Served, apiKey = 'none') {
  return new OpenAI({ apiKey, baseURL: `${server.url}/v1` });
}

const hello = [{ role: 'user' as const, content: 'hello' }];

/** How a request is answered that clients cannot make. */
async function answerTo(served: Served, body: object) {
  const response = await fetch(`${served.server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'cadre/top', messages: hello, ...body }),
  });
  return { status: response.status, body: await response.json() };
}

/** Its model writes in pieces. */
function writing(...pieces: string[]): Role {
  return ({ onDelta }) => {
    for (const text of pieces) onDelta?.({ type: 'text', text });
    return pieces.join('');
  };
}

const TREE = { top: 'sub_agents = ["kid"]\n' };
const tree: Record<string, Role> = {
  top: ({ turn }) => (turn === 1 ? [call('kid', 'x')] : 'the answer'),
  kid: () => 'so',
};

test('agents are models, those with a fault left out', async () => {
  const served = await serveAgents(
    { top: () => 'so', kid: () => 'so' },
    {},
    { 'agents/bad.toml': 'name = 3' },
  );
  const models = await clientOf(served).models.list();
  const model = (id: string) => ({ id, object: 'model', created: 0, owned_by: 'cadre' });
  expect(models.data).toEqual([model('cadre/kid'), model('cadre/top')]);
  expect(await clientOf(served).models.retrieve('cadre/top')).toEqual(model('cadre/top'));
  await expect(clientOf(served).models.retrieve('cadre/nobody')).rejects.toMatchObject({
    status: 404,
    code: 'model_not_found',
  });
});

test('a completion is the answer of a run, with what its whole tree used', async () => {
  const served = await serveAgents(tree, TREE);
  const { data, response, request_id } = await clientOf(served)
    .chat.completions.create({ model: 'cadre/top', messages: hello })
    .withResponse();
  const id = response.headers.get('x-cadre-run');
  expect(request_id).toBe(id);
  expect(data).toEqual({
    id: `chatcmpl-${id}`,
    object: 'chat.completion',
    created: expect.any(Number),
    model: 'cadre/top',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'the answer', refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    // Two turns of the one (10 and 20 tokens), and one of the other (10).
    usage: {
      prompt_tokens: 40,
      completion_tokens: 3,
      total_tokens: 43,
      prompt_tokens_details: { cached_tokens: 0 },
    },
  });
  expect((await served.get(`/runs/${id}`)).body).toMatchObject({ run_id: id, status: 'succeeded' });
});

test('a streamed completion comes while it is written', async () => {
  const goesOn = latch();
  const served = await serveAgents({
    async top({ onDelta }) {
      onDelta?.({ type: 'text', text: 'the ' });
      await goesOn.opened;
      onDelta?.({ type: 'text', text: 'answer' });
      return 'the answer';
    },
  });
  const { data, response } = await clientOf(served)
    .chat.completions.create({
      model: 'cadre/top',
      messages: hello,
      stream: true,
      stream_options: { include_usage: true },
    })
    .withResponse();
  const chunks: object[] = [];
  for await (const { id, object, created, model, ...rest } of data) {
    expect({ id, object, model }).toEqual({
      id: `chatcmpl-${response.headers.get('x-cadre-run')}`,
      object: 'chat.completion.chunk',
      model: 'cadre/top',
    });
    expect(created).toBeGreaterThan(0);
    chunks.push(rest);
    // It arrives while the model is at work.
    if (JSON.stringify(rest).includes('the ')) goesOn.open();
  }
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    usage: null,
  });
  expect(chunks).toEqual([
    chunk({ role: 'assistant', content: '', refusal: null }),
    chunk({ content: 'the ' }),
    chunk({ content: 'answer' }),
    chunk({}, 'stop'),
    {
      choices: [],
      usage: {
        prompt_tokens: 10,
        completion_tokens: 1,
        total_tokens: 11,
        prompt_tokens_details: { cached_tokens: 0 },
      },
    },
  ]);
});

test('a stream ends with [DONE], and says what was used only where it is asked for', async () => {
  const served = await serveAgents({ top: () => 'so' });
  const response = await fetch(`${served.server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'cadre/top', messages: hello, stream: true }),
  });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const text = await response.text();
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  expect(text).not.toContain('usage');
});

test("an agent's text before it calls others is a paragraph of its own, and others are not heard", async () => {
  const served = await serveAgents(
    {
      top: ({ turn, onDelta }) => {
        const text = turn === 1 ? 'Let me ask.' : 'It is so.';
        onDelta?.({ type: 'text', text });
        return turn === 1 ? { text, calls: [call('kid', 'x')] } : text;
      },
      kid: writing('unheard'),
    },
    TREE,
  );
  const create = { model: 'cadre/top', messages: hello };
  const stream = clientOf(served).chat.completions.stream(create);
  expect(await stream.finalContent()).toBe('Let me ask.\n\nIt is so.');
  const whole = await clientOf(served).chat.completions.create(create);
  expect(whole.choices[0]?.message.content).toBe('It is so.');
});

test('the earlier messages of a client are the history of the run', async () => {
  const served = await serveAgents({ top: () => 'so' }, { top: 'system_prompt = "Own."\n' });
  const { response } = await clientOf(served)
    .chat.completions.create({
      model: 'cadre/top',
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'one' },
            { type: 'text', text: 'two' },
          ],
        },
        { role: 'assistant', content: 'first', refusal: null, tool_calls: [] },
        { role: 'assistant', content: 'and more' },
        { role: 'user', content: 'go on' },
      ],
    })
    .withResponse();
  const messages = [
    { role: 'user', text: 'Be brief.\n\none\ntwo' },
    { role: 'assistant', text: 'first\n\nand more', calls: [] },
    { role: 'user', text: 'go on' },
  ];
  const [asked] = served.stage.asked;
  expect(asked?.request.messages).toEqual(messages);
  expect(asked?.request.system).toContain('Own.');
  expect(asked?.request.system).not.toContain('Be brief.');
  const id = response.headers.get('x-cadre-run');
  expect((await served.get(`/runs/${id}/messages`)).body['messages']).toEqual([
    ...messages,
    { role: 'assistant', text: 'so', calls: [], turn: expect.objectContaining({ number: 1 }) },
  ]);
});

/** As clients send back the answer "so": what they keep beside a text differs. */
const ANSWERS = {
  '@openai/agents': { content: [{ type: 'text', text: 'so', role: 'assistant', refusal: null }] },
  '@openai/agents, streamed': { content: [{ type: 'text', text: 'so', annotations: [] }] },
  'a client that caches': { content: [{ type: 'text', text: 'so', cache_control: { type: 'ephemeral' } }] },
  'a client of models that think': { content: 'so', reasoning_content: '', reasoning_details: [] },
  'a client that keeps names': { content: 'so', name: 'top', annotations: [{ type: 'note' }] },
  'a client that was refused': { content: [{ type: 'refusal', refusal: 'so' }] },
};

test.each(Object.entries(ANSWERS))('what is kept beside a text has no meaning: %s', async (_, answer) => {
  const served = await serveAgents({ top: () => 'well' });
  const { status } = await answerTo(served, {
    messages: [
      { role: 'user', content: 'one', name: 'ann', id: 'm1' },
      { role: 'assistant', ...answer },
      { role: 'user', content: [{ type: 'text', text: 'two', cache_control: null }], name: 'ann' },
    ],
  });
  expect(status).toBe(200);
  expect(served.stage.asked.map(({ request }) => request.messages)).toEqual([
    [
      { role: 'user', text: 'one' },
      { role: 'assistant', text: 'so', calls: [] },
      { role: 'user', text: 'two' },
    ],
  ]);
});

test('a copy of an agent inherits what its client said before', async () => {
  const served = await serveAgents(
    {
      top: ({ request }) =>
        request.messages.at(-1)?.role === 'user' && !JSON.stringify(request.messages).includes('forked by')
          ? [use('fork', { name: 'twin', prompt: 'look' })]
          : 'so',
    },
    { top: 'tools = ["fork"]\n' },
  );
  await clientOf(served).chat.completions.create({
    model: 'cadre/top',
    messages: [{ role: 'user', content: 'one' }, { role: 'assistant', content: 'first' }, ...hello],
  });
  const twin = served.stage.asked.find(({ request }) =>
    JSON.stringify(request.messages).includes('forked by'),
  );
  expect(twin?.request.messages.slice(0, 3)).toEqual([
    { role: 'user', text: 'one' },
    { role: 'assistant', text: 'first', calls: [] },
    { role: 'user', text: 'hello' },
  ]);
});

test.each([
  [{ n: 2 }, 'n', 'n is not supported: an agent gives one answer'],
  [{ temperature: 0 }, 'temperature', "temperature is not supported: it is set in the agent's file"],
  [
    { tools: [{ type: 'function', function: { name: 'x' } }] },
    'tools',
    'tools is not supported: an agent has the tools of its file, and calls them itself',
  ],
  [
    { response_format: { type: 'json_object' } },
    'response_format',
    "response_format is not supported: the agent's file has no [output]",
  ],
  [
    { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: {} } } },
    'response_format.type',
    "response_format.type is not supported: the schema of an answer is set in the agent's file",
  ],
  [{ stop: ['x'] }, 'stop', undefined],
  [{ seed: 1 }, 'seed', undefined],
  [{ made_up: 1 }, 'made_up', 'made_up is not known'],
  [{ stream_options: { odd: true } }, 'stream_options.odd', 'stream_options.odd is not known'],
  [{ model: undefined }, 'model', 'model is missing'],
  [{ max_tokens: 0 }, 'max_tokens', 'max_tokens must be at least 1'],
  [{ messages: [] }, 'messages', 'messages must end with a message of the user, which is the prompt'],
  [
    { messages: [{ role: 'assistant', content: 'a' }, ...hello] },
    'messages',
    'messages must not begin with a message of the assistant: most models refuse that',
  ],
  [
    { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }] },
    'messages.0.content',
    'messages.0.content must be a text, or parts of the types "text", "image_url" and "file" whose data are in "data:…;base64," URLs',
  ],
  [
    { messages: [...hello, { role: 'assistant', content: null, tool_calls: [{ id: 'a' }] }, ...hello] },
    'messages.1.tool_calls',
    "messages.1.tool_calls is not supported: calls of tools are the agent's own",
  ],
  [{ messages: [{ role: 'tool', tool_call_id: 'a', content: 'x' }, ...hello] }, 'messages.0.role', undefined],
])('a parameter that cannot be honoured is refused by name: %j', async (body, param, message) => {
  const served = await serveAgents({ top: () => 'so' });
  expect(await answerTo(served, body)).toEqual({
    status: 400,
    body: {
      error: { message: message ?? expect.any(String), type: 'invalid_request_error', param, code: null },
    },
  });
  expect(served.stage.asked).toEqual([]);
});

test('a parameter without effect is accepted', async () => {
  const served = await serveAgents({ top: () => 'so' }, { top: 'params = { max_tokens = 50 }\n' });
  const { choices } = await clientOf(served).chat.completions.create({
    model: 'cadre/top',
    messages: hello,
    n: 1,
    temperature: 1,
    tools: [],
    stop: null,
    safety_identifier: 'u',
    response_format: { type: 'text' },
    max_completion_tokens: 20,
  });
  expect(choices[0]?.message.content).toBe('so');
  expect(served.stage.asked[0]?.request.maxTokens).toBe(20);
  expect((await answerTo(served, { user: 'u', max_tokens: 99 })).status).toBe(200);
  expect(served.stage.asked[1]?.request.maxTokens).toBe(50);
});

test('a model that is no agent is not found', async () => {
  const served = await serveAgents({ top: () => 'so' });
  for (const model of ['gpt-5', 'cadre/nobody', 'cadre/../top']) {
    const { status, body } = await answerTo(served, { model });
    expect(status).toBe(404);
    expect(body).toMatchObject({
      error: { type: 'invalid_request_error', param: 'model', code: 'model_not_found' },
    });
  }
  for (const [model, meant] of [
    ['top', 'cadre/top'],
    ['cadre/tpo', 'top'],
  ]) {
    const { body } = await answerTo(served, { model });
    expect(body).toMatchObject({
      error: { message: expect.stringMatching(`; did you mean "${meant}"\\?$`) },
    });
  }
  const response = await fetch(`${served.server.url}/v1/embeddings`, { method: 'POST' });
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ error: { code: 'unknown_url' } });
});

test('a run that fails is an error which clients do not repeat', async () => {
  const served = await serveAgents({
    top() {
      throw new Error('broken');
    },
  });
  const client = clientOf(served);
  const create = { model: 'cadre/top', messages: hello };
  const failed = await client.chat.completions.create(create).catch((thrown: unknown) => thrown);
  if (!(failed instanceof APIError)) throw new Error('it did not fail');
  const id = failed.requestID ?? '';
  expect(failed.status).toBe(422);
  expect(failed.error).toEqual({
    message: `run "${id}" failed: broken`,
    type: 'run_error',
    param: null,
    code: 'run_failed',
  });
  expect(served.stage.asked).toHaveLength(1);
  const streamed = client.chat.completions.stream(create).finalContent();
  await expect(streamed).rejects.toThrow(/failed: broken/);
  expect(served.stage.asked).toHaveLength(2);
});

test('a run that reaches a limit is cut short', async () => {
  const served = await serveAgents(tree, { top: `${TREE.top}budget = { max_turns = 1 }\n` });
  const { choices } = await clientOf(served).chat.completions.create({ model: 'cadre/top', messages: hello });
  expect(choices[0]).toMatchObject({ finish_reason: 'length', message: { content: '' } });
});

test.each([true, false])('a client that leaves stops its run (streamed: %s)', async (stream) => {
  const begun = latch();
  const served = await serveAgents({
    top(asked) {
      begun.open();
      return silence(asked);
    },
  });
  const closed = new Promise((resolve) => {
    served.stage.onEvent((event) => event.type === 'run_closed' && resolve(event.status));
  });
  const leaving = new AbortController();
  const response = fetch(`${served.server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'cadre/top', messages: hello, stream }),
    signal: leaving.signal,
  });
  await begun.opened;
  if (stream) await response;
  leaving.abort();
  await response.then((given) => given.text()).catch(() => {});
  expect(await closed).toBe('stopped');
});

test("the server's token is the key of the client, and pages of others are refused", async () => {
  const token = 'a-token-of-this-test';
  const served = await serveAgents({ top: () => 'so' }, {}, {}, undefined, { token });
  expect((await clientOf(served, token).models.list()).data).toHaveLength(1);
  await expect(clientOf(served).models.list()).rejects.toMatchObject({
    status: 401,
    code: 'invalid_api_key',
  });
  const headers = { authorization: `Bearer ${token}`, origin: 'https://example.com' };
  const foreign = await fetch(`${served.server.url}/v1/models`, { headers });
  expect(foreign.status).toBe(403);
  expect(await foreign.json()).toMatchObject({ error: { type: 'invalid_request_error' } });
});

test('parameters that a client adds to the address are left alone', async () => {
  const served = await serveAgents({ top: () => 'so' });
  const models = await fetch(`${served.server.url}/v1/models?api-version=2024-10-21`);
  expect(models.status).toBe(200);
});

test('an agent with [output] gives the JSON that a client wants', async () => {
  const output =
    '[output]\nschema = { type = "object", properties = { n = { type = "integer" } }, required = ["n"] }\n';
  const served = await serveAgents({ top: () => '{"n":1}' }, { top: output });
  const { choices } = await clientOf(served).chat.completions.create({
    model: 'cadre/top',
    messages: hello,
    response_format: { type: 'json_object' },
  });
  expect(choices[0]?.message.content).toBe('{"n":1}');
  const provider = createOpenAICompatible({ name: 'cadre', baseURL: `${served.server.url}/v1` });
  const schema = jsonSchema<{ n: number }>({ type: 'object', properties: { n: { type: 'integer' } } });
  const wanted = Output.object({ schema });
  const { output: given } = await generateText({
    model: provider('cadre/top'),
    prompt: 'hello',
    output: wanted,
  });
  expect(given).toEqual({ n: 1 });
});

test('bodies that are no requests are refused', async () => {
  const served = await serveAgents({ top: () => 'so' });
  const refusals = [
    ['"x"', 400, 'body must be a JSON object'],
    ['[]', 400, 'body must be a JSON object'],
    ['{', 400, 'the body must be JSON in UTF-8'],
    [`"${'x'.repeat(1024 ** 2)}"`, 413, 'the body must have at most 1048576 bytes'],
  ] as const;
  for (const [body, status, message] of refusals) {
    const response = await fetch(`${served.server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect({ status: response.status, body: await response.json() }).toMatchObject({
      status,
      body: { error: { message, type: 'invalid_request_error' } },
    });
  }
});

test('the AI SDK talks to an agent, whole and streamed', async () => {
  const served = await serveAgents({ top: writing('it ', 'is ', 'so') });
  const provider = createOpenAICompatible({
    name: 'cadre',
    baseURL: `${served.server.url}/v1`,
    includeUsage: true,
  });
  const model = provider('cadre/top');
  const { text, usage, finishReason } = await generateText({ model, prompt: 'hello' });
  expect({ text, finishReason }).toEqual({ text: 'it is so', finishReason: 'stop' });
  expect(usage).toMatchObject({ inputTokens: 10, outputTokens: 1, totalTokens: 11 });
  const messages = [
    { role: 'user' as const, content: 'hello' },
    { role: 'assistant' as const, content: 'it is so' },
    { role: 'user' as const, content: 'really?' },
  ];
  const streamed = streamText({ model, system: 'Be brief.', messages });
  // Pieces that are written at once may come together.
  expect(await streamed.text).toBe('it is so');
  expect(await streamed.usage).toMatchObject({ inputTokens: 20, outputTokens: 1 });
  expect(served.stage.asked[1]?.request.messages).toEqual([
    { role: 'user', text: 'Be brief.\n\nhello' },
    { role: 'assistant', text: 'it is so', calls: [] },
    { role: 'user', text: 'really?' },
  ]);
});

test('a run that outlasts what one request may take goes on, and its client is told which it is', async () => {
  const goesOn = latch();
  const { context } = await contextOf({
    async top() {
      await goesOn.opened;
      return 'at last';
    },
  });
  const api = createOpenAiApi({ ...context, answerSeconds: 0.05 });
  const ask = async (stream: boolean) => {
    const response = await api.request('/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'cadre/top', messages: hello, stream }),
    });
    const run = response.headers.get('x-cadre-run') ?? '';
    const message = `run "${run}" is still at work, for longer than a request may last; it goes on, and its answer is kept with it`;
    const error = { message, type: 'run_error', param: null, code: 'run_unfinished' };
    return { run, status: response.status, text: await response.text(), error };
  };
  const whole = await ask(false);
  expect([whole.status, JSON.parse(whole.text)]).toEqual([422, { error: whole.error }]);
  const streamed = await ask(true);
  expect(streamed.text.trimEnd().split('\n\n').at(-1)).toBe(
    `data: ${JSON.stringify({ error: streamed.error })}`,
  );
  goesOn.open();
  for (const { run } of [whole, streamed]) {
    expect(await context.environment.ended(run)).toMatchObject({ status: 'succeeded' });
  }
});
