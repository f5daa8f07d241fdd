import type Anthropic from '@anthropic-ai/sdk';
import { afterEach, describe, expect, it } from 'vitest';
import { createAnthropicModel } from '../../src/providers/anthropic/anthropic.ts';
import { toRequest } from '../../src/providers/anthropic/to-request.ts';
import type { ModelRequest } from '../../src/core/model/model.ts';
import { startModelServer, type ModelServer } from '../fixtures/model-server.ts';
import { ask, callAgent, conversation, running, STREAMED } from './requests.ts';

/** The types are those of version 2026-10-21 of the API, which dropped `temperature`; 2023-06-01 has it. */
type PublishedRequest = Anthropic.MessageCreateParamsNonStreaming & { temperature?: number };

let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function exchange(request: ModelRequest, body: unknown) {
  const started = await startModelServer([{ body }]);
  server = started;
  const model = createAnthropicModel({ baseUrl: started.url, apiKey: 'key-of-anthropic', fetch });
  return { answer: await model.send(request, running), requests: started.requests };
}

const done = {
  content: [{ type: 'text', text: 'Done.', citations: null }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 12, output_tokens: 3 },
};

describe('a request to Anthropic', () => {
  it('is a POST to /v1/messages with the key, the version and the least that the API takes', async () => {
    const { requests } = await exchange(ask('Hello'), done);
    expect(requests).toEqual([
      {
        method: 'POST',
        path: '/v1/messages',
        headers: {
          'content-type': 'application/json',
          'x-api-key': 'key-of-anthropic',
          'anthropic-version': '2023-06-01',
        },
        body: {
          model: 'test-model',
          max_tokens: 4096,
          messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
          ...STREAMED,
        },
      },
    ]);
  });

  it('carries system, parameters, tools, calls and, in one user message directly after them, results', async () => {
    const { requests } = await exchange(conversation, done);
    const published: PublishedRequest = {
      model: 'test-model',
      max_tokens: 100,
      temperature: 0.5,
      system: [{ type: 'text', text: 'You are terse.', cache_control: { type: 'ephemeral' } }],
      tools: [
        { name: 'call_agent', description: 'Delegate a task', input_schema: { ...callAgent.parameters } },
      ],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Begin.' }] },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'I ask both.' },
            {
              type: 'tool_use',
              id: 'one',
              name: 'call_agent',
              input: { agent: 'ada', task: 'count', depth: 2 },
            },
            { type: 'tool_use', id: 'two', name: 'call_agent', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'one', content: '42', is_error: false },
            {
              type: 'tool_result',
              tool_use_id: 'two',
              content: 'call_agent error: "agent" argument is required',
              is_error: true,
            },
            // The answer in between held nothing, which the API would refuse.
            { type: 'text', text: 'Go on.', cache_control: { type: 'ephemeral' } },
          ],
        },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'one_2', name: 'call_agent', input: { agent: 'bob' } }],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'one_2',
              content: '43',
              is_error: false,
              cache_control: { type: 'ephemeral' },
            },
          ],
        },
      ],
    };
    expect(requests.map(({ body }) => body)).toEqual([{ ...published, ...STREAMED }]);
  });

  it('that has no system prompt keeps its tools, and one without tools keeps its system prompt alone', () => {
    const tools = toRequest(ask('x', { tools: [callAgent, { ...callAgent, name: 'other' }] }));
    expect(tools.tools?.map(({ name, cache_control }) => [name, cache_control])).toEqual([
      ['call_agent', undefined],
      ['other', { type: 'ephemeral' }],
    ]);
    const alone: PublishedRequest = toRequest(ask('x', { system: 'Be brief.' }));
    expect(alone).toEqual({
      model: 'test-model',
      max_tokens: 4096,
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }],
    });
  });

  it('fits the type that Anthropic publishes, and its ids fit the pattern', async () => {
    const request: PublishedRequest = toRequest(
      ask('x', {
        messages: [{ role: 'assistant', text: ' ', calls: [{ id: 'call:1', name: 'f', arguments: {} }] }],
      }),
    );
    expect(request.messages[0]).toEqual({
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'call_1', name: 'f', input: {} }],
    });
  });
});
