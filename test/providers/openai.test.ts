import type OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../src/core/model/model.ts';
import { createOpenAIModel } from '../../src/providers/openai/openai.ts';
import { toRequest } from '../../src/providers/openai/chat/to-request.ts';
import { startModelServer, type ModelServer } from '../fixtures/model-server.ts';
import { ask, callAgent, conversation, running, STREAMED_CHAT } from './requests.ts';

type PublishedRequest = OpenAI.ChatCompletionCreateParamsNonStreaming;

let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function exchange(request: ModelRequest, body: unknown, path = '') {
  const started = await startModelServer([{ body }]);
  server = started;
  const model = createOpenAIModel({ baseUrl: `${started.url}${path}`, apiKey: 'key-of-openai', fetch });
  return { answer: await model.send(request, running), requests: started.requests };
}

const done = {
  choices: [
    { index: 0, message: { role: 'assistant', content: 'Done.', refusal: null }, finish_reason: 'stop' },
  ],
  usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 },
};

describe('a tier of service', () => {
  it.each(['flex', 'priority'] as const)('is asked for as %s, and told of the answer', async (service) => {
    const request: ModelRequest = { ...conversation, model: 'gpt-4.1', service, stream: false };
    const { answer, requests } = await exchange(request, { ...done, service_tier: service });
    const published: Partial<PublishedRequest> = toRequest(request, 'https://any');
    expect(published.service_tier).toBe(service);
    expect(requests[0]?.body).toMatchObject({ service_tier: service });
    expect(answer.usage).toMatchObject({ inputTokens: 12, outputTokens: 3, service });
  });

  it('costs as usual where the answer was served so', async () => {
    const request: ModelRequest = { ...conversation, model: 'gpt-4.1', service: 'flex', stream: false };
    const { answer } = await exchange(request, { ...done, service_tier: 'default' });
    expect(answer.usage.service).toBeUndefined();
  });

  const spent = { inputTokens: 12, outputTokens: 3, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const responses = { status: 'failed', usage: { input_tokens: 12, output_tokens: 3 } };
  const unended = { ...done.choices[0], finish_reason: 'error' };
  it.each([
    ['chat', 'flex', { ...done, choices: [] }],
    ['chat', 'flex', { ...done, choices: [unended] }],
    ['chat', 'flex', { ...done, choices: 'none' }],
    ['chat', 'flex', { ...done, error: 'no more' }],
    ['chat', 'default', { ...done, choices: [] }],
    ['responses', 'flex', responses],
    ['responses', 'flex', { ...responses, output: 'none' }],
    ['responses', 'flex', { ...responses, error: { code: 'server_error', message: 'no more' } }],
    ['responses', 'default', responses],
  ] as const)('decides what an answer costs that nobody can use: %s, %s: %j', async (api, tier, body) => {
    const request: ModelRequest = { ...ask('Hello'), model: 'gpt-4.1', api, service: 'flex', stream: false };
    await expect(exchange(request, { ...body, service_tier: tier })).rejects.toHaveProperty('details', {
      spent: tier === 'flex' ? { ...spent, service: tier } : spent,
    });
  });
});

describe('a request to Chat Completions', () => {
  it.each(['', '/', '/v1', '/v1/'])(
    'is a POST to /v1/chat/completions with a bearer key and no more than was set; base URL ends in "%s"',
    async (path) => {
      const { requests } = await exchange(ask('Hello'), done, path);
      expect(requests).toEqual([
        {
          method: 'POST',
          path: '/v1/chat/completions',
          headers: { 'content-type': 'application/json', authorization: 'Bearer key-of-openai' },
          body: { model: 'test-model', messages: [{ role: 'user', content: 'Hello' }], ...STREAMED_CHAT },
        },
      ]);
    },
  );

  it('carries system, parameters, tools, calls and one message for each result, in call order', async () => {
    const { requests } = await exchange({ ...conversation, model: 'gpt-5.1' }, done);
    const published: PublishedRequest = {
      model: 'gpt-5.1',
      max_completion_tokens: 100,
      temperature: 0.5,
      tools: [
        {
          type: 'function',
          function: {
            name: 'call_agent',
            description: 'Delegate a task',
            parameters: { ...callAgent.parameters },
          },
        },
      ],
      messages: [
        { role: 'system', content: 'You are terse.' },
        { role: 'user', content: 'Begin.' },
        {
          role: 'assistant',
          content: 'I ask both.',
          tool_calls: [
            {
              id: 'one',
              type: 'function',
              function: { name: 'call_agent', arguments: '{"agent":"ada","task":"count","depth":2}' },
            },
            { id: 'two', type: 'function', function: { name: 'call_agent', arguments: '{}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'one', content: '42' },
        { role: 'tool', tool_call_id: 'two', content: 'call_agent error: "agent" argument is required' },
        // The answer in between held nothing, which some servers refuse.
        { role: 'user', content: 'Go on.' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'one_2', type: 'function', function: { name: 'call_agent', arguments: '{"agent":"bob"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'one_2', content: '43' },
      ],
    };
    expect(requests.map(({ body }) => body)).toEqual([{ ...published, ...STREAMED_CHAT }]);
  });

  it.each([
    ['https://api.openai.com', 'gpt-4.1', { max_completion_tokens: 9 }],
    ['http://localhost:1234', 'gpt-5.1', { max_completion_tokens: 9 }],
    ['http://localhost:1234', 'openai/o3-mini', { max_completion_tokens: 9 }],
    ['http://localhost:1234', 'llama3.2', { max_tokens: 9 }],
  ])('names the limit as %s does for %s', (baseUrl, model, limit) => {
    const request: PublishedRequest = toRequest(ask('x', { model, maxTokens: 9 }), baseUrl);
    expect(request).toEqual({ model, messages: [{ role: 'user', content: 'x' }], ...limit });
  });

  it('says how much to think where the agent says so', () => {
    const request: PublishedRequest = toRequest(ask('x', { model: 'gpt-5.1', reasoningEffort: 'low' }), '');
    expect(request).toEqual({
      model: 'gpt-5.1',
      messages: [{ role: 'user', content: 'x' }],
      reasoning_effort: 'low',
    });
  });
});

it.each([
  // https://docs.x.ai/docs/guides/reasoning
  [{ prompt_tokens: 32, completion_tokens: 9, total_tokens: 135 }, 103],
  // Gemini, where an answer ends among its thoughts
  [{ prompt_tokens: 21, completion_tokens: 0, total_tokens: 81 }, 60],
  [{ prompt_tokens: 21, total_tokens: 81 }, 60],
  [{ prompt_tokens: 900, completion_tokens: 50, total_tokens: 950 }, 50],
  [{ prompt_tokens: 900, completion_tokens: 50, total_tokens: 50 }, 50],
])('counts thoughts that a server has only in the total: %j', async (usage, outputTokens) => {
  const { answer } = await exchange(ask('Hello'), { ...done, usage });
  expect(answer.usage).toMatchObject({ inputTokens: usage.prompt_tokens, outputTokens });
});
