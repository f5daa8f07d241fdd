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

function withMessage(message: object, finish_reason = 'tool_calls') {
  return { ...done, choices: [{ index: 0, message, finish_reason }] };
}

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

describe('an answer of Chat Completions', () => {
  it('comes back as text, calls, stop reason and tokens', async () => {
    const message: OpenAI.ChatCompletionMessage = {
      role: 'assistant',
      content: null,
      refusal: null,
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":1,"b":{"c":[true]}}' } },
        { id: 'call_2', type: 'custom', custom: { name: 'g', input: '' } },
      ],
    };
    const { answer } = await exchange(ask('x'), withMessage(message));
    expect(answer).toEqual({
      text: '',
      calls: [{ id: 'call_1', name: 'f', arguments: { a: 1, b: { c: [true] } } }],
      stopReason: 'tool_calls',
      rawStopReason: 'tool_calls',
      usage: { inputTokens: 12, outputTokens: 3, cacheReadTokens: 0, cacheWriteTokens: 0 },
    });
  });

  it('tells what of the prompt was read from the cache and written to it', async () => {
    const usage: OpenAI.CompletionUsage = {
      ...done.usage,
      prompt_tokens: 2312,
      prompt_tokens_details: { cached_tokens: 2000, cache_write_tokens: 300 },
    };
    const { answer } = await exchange(ask('x'), { ...done, usage });
    expect(answer.usage).toEqual({
      inputTokens: 2312,
      outputTokens: 3,
      cacheReadTokens: 2000,
      cacheWriteTokens: 300,
    });
  });

  it.each([
    ['{"a": 1', {}],
    ['', {}],
    ['"text"', {}],
    ['[1]', {}],
    ['null', {}],
    [undefined, {}],
    [{ a: 1 }, { a: 1 }],
  ])('whose arguments are %j gives %j', async (written, expected) => {
    const message = { tool_calls: [{ id: 'a', function: { name: 'f', arguments: written } }] };
    const { answer } = await exchange(ask('x'), withMessage(message));
    expect(answer.calls).toEqual([{ id: 'a', name: 'f', arguments: expected }]);
  });

  it.each([
    ['stop', 'end'],
    ['length', 'max_tokens'],
    ['tool_calls', 'tool_calls'],
    ['function_call', 'tool_calls'],
    ['content_filter', 'refusal'],
    ['something_new', 'other'],
  ])('stops for %s, which is %s', async (raw, stopReason) => {
    const { answer } = await exchange(ask('x'), withMessage({ content: 'y' }, raw));
    expect([answer.stopReason, answer.rawStopReason]).toEqual([stopReason, raw]);
  });

  it('that refuses says so in its words', async () => {
    const { answer } = await exchange(
      ask('x'),
      withMessage({ content: null, refusal: 'I will not.' }, 'stop'),
    );
    expect([answer.text, answer.stopReason]).toEqual(['I will not.', 'refusal']);
  });

  it.each([{ choices: [] }, { choices: null }, {}])('without choices is an error: %j', async (body) => {
    await expect(exchange(ask('x'), body)).rejects.toMatchObject({
      name: 'ModelError',
      category: 'server',
      message: 'server: response contains no choices',
    });
  });

  it('without content is empty text', async () => {
    const { answer } = await exchange(ask('x'), { choices: [{ message: { content: null } }] });
    expect(answer).toEqual({
      text: '',
      calls: [],
      stopReason: 'other',
      rawStopReason: '',
      usage: { inputTokens: 1, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
    });
  });
});
