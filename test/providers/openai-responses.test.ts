import type OpenAI from 'openai';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Message } from '../../src/core/records/message.ts';
import type { ModelRequest } from '../../src/core/model/model.ts';
import { createOpenAIModel } from '../../src/providers/openai/openai.ts';
import { startModelServer, type ModelServer } from '../fixtures/model-server.ts';
import { ask, callAgent, conversation, running, STREAMED } from './requests.ts';

type PublishedRequest = OpenAI.Responses.ResponseCreateParamsNonStreaming;
type PublishedItem = OpenAI.Responses.ResponseOutputItem;

let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function exchange(request: ModelRequest, body: unknown, path = '') {
  const started = await startModelServer([{ body }]);
  server = started;
  const model = createOpenAIModel({ baseUrl: `${started.url}${path}`, apiKey: 'key-of-openai', fetch });
  return {
    answer: await model.send({ api: 'responses', ...request }, running),
    requests: started.requests,
  };
}

const message: PublishedItem = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Done.', annotations: [], logprobs: [] }],
};

const reasoning: PublishedItem = {
  type: 'reasoning',
  id: 'rs_1',
  summary: [],
  encrypted_content: 'gAAAAB==',
};

function callItem(call_id: string, args: string): PublishedItem {
  return {
    type: 'function_call',
    id: `fc_${call_id}`,
    call_id,
    name: 'f',
    arguments: args,
    status: 'completed',
  };
}

const done = {
  object: 'response',
  status: 'completed',
  error: null,
  incomplete_details: null,
  output: [message],
  usage: {
    input_tokens: 12,
    output_tokens: 3,
    total_tokens: 15,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  },
} satisfies Partial<OpenAI.Responses.Response>;

describe('the API that OpenAI is asked by', () => {
  it.each<[string, Partial<ModelRequest>, string]>([
    ['gpt-4.1', { tools: [callAgent] }, '/v1/chat/completions'],
    ['gpt-5.1', { tools: [callAgent], reasoningEffort: 'high' }, '/v1/chat/completions'],
    ['gpt-5.4', {}, '/v1/chat/completions'],
    ['gpt-5.4', { tools: [callAgent], reasoningEffort: 'low' }, '/v1/responses'],
    ['gpt-5.6-sol', { reasoningEffort: 'low' }, '/v1/chat/completions'],
    ['gpt-5.6-sol', { tools: [callAgent] }, '/v1/responses'],
    ['gpt-5.6-sol', { tools: [callAgent], reasoningEffort: 'none' }, '/v1/chat/completions'],
    ['openai/gpt-6-luna', { tools: [callAgent] }, '/v1/responses'],
    ['gpt-5-pro', {}, '/v1/responses'],
    ['gpt-5.1-codex', {}, '/v1/responses'],
    ['gpt-5.5-pro', {}, '/v1/responses'],
    ['gpt-6-cyber', {}, '/v1/responses'],
    ['gpt-6-rosalind', {}, '/v1/responses'],
    ['gpt-daybreak-blue-latest', {}, '/v1/responses'],
    ['computer-use-preview', {}, '/v1/responses'],
    ['gpt-6-astra', {}, '/v1/chat/completions'],
    ['llama3.2', { tools: [callAgent], reasoningEffort: 'low' }, '/v1/chat/completions'],
    // What the agent says goes before what is known of the model.
    ['llama3.2', { api: 'responses' }, '/v1/responses'],
    ['gpt-5.6-sol', { tools: [callAgent], api: 'chat' }, '/v1/chat/completions'],
  ])('for %s with %j is %s', async (model, more, path) => {
    const started = await startModelServer([{ status: 418, body: {} }]);
    server = started;
    const openai = createOpenAIModel({ baseUrl: started.url, apiKey: 'key-of-openai', fetch });
    await expect(openai.send(ask('x', { model, ...more }), running)).rejects.toThrow('server: ');
    expect(started.requests.map((request) => request.path)).toEqual([path]);
  });
});

describe('a request to Responses', () => {
  it.each(['', '/', '/v1', '/v1/'])(
    'is a POST to /v1/responses with a bearer key, nothing to be stored and no more than was set; base URL ends in "%s"',
    async (path) => {
      const { requests } = await exchange(ask('Hello'), done, path);
      expect(requests).toEqual([
        {
          method: 'POST',
          path: '/v1/responses',
          headers: { 'content-type': 'application/json', authorization: 'Bearer key-of-openai' },
          body: {
            model: 'test-model',
            store: false,
            input: [{ type: 'message', role: 'user', content: 'Hello' }],
            ...STREAMED,
          },
        },
      ]);
    },
  );

  it('carries system, parameters, tools, calls and one output for each, in call order', async () => {
    const request: ModelRequest = { ...conversation, model: 'gpt-5.6-sol', reasoningEffort: 'high' };
    const { requests } = await exchange(request, done);
    const published: PublishedRequest = {
      model: 'gpt-5.6-sol',
      store: false,
      instructions: 'You are terse.',
      max_output_tokens: 100,
      reasoning: { effort: 'high' },
      include: ['reasoning.encrypted_content'],
      tools: [
        {
          type: 'function',
          name: 'call_agent',
          description: 'Delegate a task',
          parameters: { ...callAgent.parameters },
          strict: false,
        },
      ],
      input: [
        { type: 'message', role: 'user', content: 'Begin.' },
        { type: 'message', role: 'assistant', content: 'I ask both.', phase: 'commentary' },
        {
          type: 'function_call',
          call_id: 'one',
          name: 'call_agent',
          arguments: '{"agent":"ada","task":"count","depth":2}',
        },
        { type: 'function_call', call_id: 'two', name: 'call_agent', arguments: '{}' },
        { type: 'function_call_output', call_id: 'one', output: '42' },
        {
          type: 'function_call_output',
          call_id: 'two',
          output: 'call_agent error: "agent" argument is required',
        },
        { type: 'message', role: 'user', content: 'Go on.' },
        { type: 'function_call', call_id: 'one_2', name: 'call_agent', arguments: '{"agent":"bob"}' },
        { type: 'function_call_output', call_id: 'one_2', output: '43' },
      ],
    };
    expect(requests.map(({ body }) => body)).toEqual([{ ...published, ...STREAMED }]);
  });

  it.each(['gpt-4.1', 'gpt-5.1-chat-latest'])(
    'asks %s, which does not think, for no thoughts',
    async (model) => {
      const { requests } = await exchange({ ...conversation, model }, done);
      expect(requests[0]?.body).not.toHaveProperty('include');
    },
  );

  it('asks for no thoughts where no tool is on offer, and so nothing is sent back', async () => {
    const { requests } = await exchange(ask('Hello', { model: 'gpt-5.6-sol' }), done);
    expect(requests.map(({ body }) => body)).toEqual([
      {
        model: 'gpt-5.6-sol',
        store: false,
        input: [{ type: 'message', role: 'user', content: 'Hello' }],
        ...STREAMED,
      },
    ]);
  });

  it('sends an answer back as it came, thoughts and all, with the results of its calls', async () => {
    const output: PublishedItem[] = [
      reasoning,
      { ...message, phase: 'commentary' },
      callItem('a', '{"n": 1}'),
      // It was not offered; it is not answered and not sent back.
      { type: 'custom_tool_call', call_id: 'c', name: 'g', input: '' },
      callItem('b', '{}'),
    ];
    const first = ask('Begin.', { model: 'gpt-5.6-sol', tools: [callAgent] });
    const { answer } = await exchange(first, { ...done, output });
    expect(answer.providerContent).toEqual(output.filter(({ type }) => type !== 'custom_tool_call'));
    await server?.close();

    const kept: unknown = JSON.parse(JSON.stringify(answer.providerContent));
    const messages: Message[] = [
      ...first.messages,
      { role: 'assistant', text: answer.text, calls: answer.calls, providerContent: kept },
      {
        role: 'tool',
        results: [
          { callId: 'b', name: 'f', text: 'two', isError: false },
          { callId: 'a', name: 'f', text: 'one', isError: false },
        ],
      },
    ];
    const { requests } = await exchange({ ...first, messages }, done);
    expect(requests[0]?.body).toMatchObject({
      input: [
        { type: 'message', role: 'user', content: 'Begin.' },
        reasoning,
        { ...message, phase: 'commentary' },
        callItem('a', '{"n": 1}'),
        callItem('b', '{}'),
        { type: 'function_call_output', call_id: 'a', output: 'one' },
        { type: 'function_call_output', call_id: 'b', output: 'two' },
      ],
    });
  });

  it('limits an answer to no fewer tokens than the API takes', async () => {
    const { requests } = await exchange(ask('Hello', { maxTokens: 5 }), done);
    expect(requests[0]?.body).toMatchObject({ max_output_tokens: 16 });
  });

  it.each([
    'The encrypted content for item rs_1 could not be verified.',
    'Reasoning input items can only be provided to a reasoning or computer use model. Remove reasoning items from your input and try again.',
  ])(
    'leaves out the thoughts of another model or service once it is refused for them: %s',
    async (message) => {
      const refused = {
        error: { message, type: 'invalid_request_error', code: 'invalid_encrypted_content' },
      };
      const server = await startModelServer([{ status: 400, body: refused }, { body: done }]);
      onTestFinished(() => server.close());
      const model = createOpenAIModel({ baseUrl: server.url, apiKey: 'key-of-openai', fetch });
      const messages: Message[] = [
        { role: 'user', text: 'Begin.' },
        {
          role: 'assistant',
          text: '',
          calls: [{ id: 'a', name: 'f', arguments: {} }],
          providerContent: [reasoning, callItem('a', '{}')],
        },
        { role: 'tool', results: [{ callId: 'a', name: 'f', text: '42', isError: false }] },
      ];
      const answer = await model.send(ask('', { model: 'gpt-5', api: 'responses', messages }), running);
      expect(answer.text).toBe('Done.');
      const begin = { type: 'message', role: 'user', content: 'Begin.' };
      const output = { type: 'function_call_output', call_id: 'a', output: '42' };
      expect(server.requests.map(({ body }) => Object(body).input)).toEqual([
        [begin, reasoning, callItem('a', '{}'), output],
        [begin, { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' }, output],
      ]);
    },
  );

  it('gives calls that come with their thoughts the ids that their results have', async () => {
    const call = { id: 'a', name: 'f', arguments: {} };
    const result = { callId: 'a', name: 'f', text: 'one', isError: false };
    const turn: Message[] = [
      { role: 'assistant', text: '', calls: [call], providerContent: [reasoning, callItem('a', '{}')] },
      { role: 'tool', results: [result] },
    ];
    const { requests } = await exchange(ask('x', { messages: [...turn, ...turn] }), done);
    expect(requests[0]?.body).toMatchObject({
      input: [
        { type: 'reasoning' },
        { type: 'function_call', call_id: 'a' },
        { type: 'function_call_output', call_id: 'a' },
        { type: 'reasoning' },
        { type: 'function_call', call_id: 'a_2' },
        { type: 'function_call_output', call_id: 'a_2' },
      ],
    });
  });
});
