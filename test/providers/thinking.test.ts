import type Anthropic from '@anthropic-ai/sdk';
import type { ConverseCommandInput } from '@aws-sdk/client-bedrock-runtime';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createAnthropicModel } from '../../src/providers/anthropic/anthropic.ts';
import { toRequest as toAnthropic } from '../../src/providers/anthropic/to-request.ts';
import { toRequest as toBedrock } from '../../src/providers/bedrock/to-request.ts';
import { toRequest as toChat } from '../../src/providers/openai/chat/to-request.ts';
import { createOpenAIModel } from '../../src/providers/openai/openai.ts';
import { createOfflineModel } from '../../src/providers/offline/offline.ts';
import { modelFor } from '../../src/places/models/registry.ts';
import type { Message, ModelResponse, ReasoningEffort } from '../../src/core/records/message.ts';
import { startModelServer } from '../fixtures/model-server.ts';
import { ask, running } from './requests.ts';
import { stubAws } from './wires.ts';

type Published = Partial<Anthropic.MessageCreateParamsNonStreaming> & { temperature?: number };

describe('how much Claude is to think', () => {
  const adaptive = (effort: 'low' | 'high' | 'xhigh' | 'max') => ({
    thinking: { type: 'adaptive' as const },
    output_config: { effort },
  });
  const budget = (budget_tokens: number) => ({ thinking: { type: 'enabled' as const, budget_tokens } });

  test.each<[string, ReasoningEffort | undefined, Published]>([
    ['claude-3-5-haiku-20241022', 'high', { temperature: 0.5 }],
    ['some-model', 'high', { temperature: 0.5 }],
    ['claude-sonnet-4-5', undefined, { temperature: 0.5 }],
    ['claude-sonnet-4-5', 'none', { temperature: 0.5 }],
    ['claude-3-7-sonnet-20250219', 'minimal', budget(1024)],
    ['claude-opus-4-20250514', 'low', budget(2000)],
    ['claude-sonnet-4-5-20250929', 'medium', budget(5000)],
    ['claude-haiku-4-5', 'high', budget(8000)],
    ['claude-opus-4-5', 'max', budget(9500)],
    ['claude-opus-4-6', 'minimal', adaptive('low')],
    ['claude-sonnet-4-6', 'xhigh', adaptive('high')],
    ['claude-sonnet-4-6', 'max', adaptive('max')],
    ['claude-sonnet-4-6', 'none', { temperature: 0.5 }],
    ['claude-opus-4-7', undefined, {}],
    ['claude-opus-4-8', 'none', {}],
    ['claude-mythos-preview', 'high', adaptive('high')],
    ['claude-opus-5', 'xhigh', adaptive('xhigh')],
    ['claude-sonnet-5', 'none', { thinking: { type: 'disabled' } }],
    ['claude-haiku-5-5', 'none', { thinking: { type: 'disabled' } }],
    ['claude-sonnet-5-5', 'none', { thinking: { type: 'between_tools' } }],
    ['claude-opus-5-5', 'none', { output_config: { effort: 'low' } }],
    ['claude-fable-5-1', 'high', adaptive('high')],
  ])('%s with %s', (model, reasoningEffort, expected) => {
    const { temperature, thinking, output_config, max_tokens }: Published = toAnthropic(
      ask('x', { model, temperature: 0.5, maxTokens: 10_000, ...(reasoningEffort && { reasoningEffort }) }),
    );
    expect({ temperature, thinking, output_config, max_tokens }).toEqual({ max_tokens: 10_000, ...expected });
  });

  test('leaves room for an answer, or does without thinking', () => {
    const at = (maxTokens: number) =>
      toAnthropic(ask('x', { model: 'claude-sonnet-4-5', maxTokens, reasoningEffort: 'max' }));
    expect([at(1279).thinking, at(1280).thinking, at(2000).thinking]).toEqual([
      undefined,
      { type: 'enabled', budget_tokens: 1024 },
      { type: 'enabled', budget_tokens: 1744 },
    ]);
    expect(at(0).max_tokens).toBe(16_384);
  });

  test('is told in the same way through Bedrock', () => {
    const request = (model: string, reasoningEffort: ReasoningEffort, maxTokens = 0) => {
      const { inferenceConfig, additionalModelRequestFields }: ConverseCommandInput = toBedrock(
        ask('x', { model, temperature: 0.5, maxTokens, reasoningEffort }),
      );
      return { ...inferenceConfig, ...Object(additionalModelRequestFields) };
    };
    expect([
      request('eu.anthropic.claude-sonnet-4-5-20250929-v1:0', 'medium'),
      request('anthropic.claude-opus-4-6-v1', 'high', 100),
      request('us.amazon.nova-2-lite-v1:0', 'max'),
      request('us.amazon.nova-2-lite-v1:0', 'max', 100),
      request('us.amazon.nova-2-lite-v1:0', 'none'),
      request('openai.gpt-oss-120b-1:0', 'minimal'),
      request('us.amazon.nova-pro-v1:0', 'high'),
    ]).toEqual([
      { maxTokens: 16_384, thinking: { type: 'enabled', budget_tokens: 8192 } },
      { maxTokens: 100, ...adaptive('high') },
      { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' } },
      {
        temperature: 0.5,
        maxTokens: 100,
        reasoningConfig: { type: 'enabled', maxReasoningEffort: 'medium' },
      },
      { temperature: 0.5, reasoningConfig: { type: 'disabled' } },
      { temperature: 0.5, reasoning_effort: 'low' },
      { temperature: 0.5 },
    ]);
  });
});

const results: Message = {
  role: 'tool',
  results: [
    { callId: 'a', name: 'f', text: '42', isError: false },
    { callId: 'b', name: 'f', text: '43', isError: false },
  ],
};

function after(answer: ModelResponse): Message[] {
  const { text, calls, providerContent } = answer;
  return [{ role: 'user', text: 'Begin.' }, { role: 'assistant', text, calls, providerContent }, results];
}

describe("a model's thoughts before its calls", () => {
  const content: Anthropic.ContentBlockParam[] = [
    { type: 'thinking', thinking: 'Hm.', signature: 'signed' },
    { type: 'text', text: 'I ask.' },
    { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } },
    { type: 'redacted_thinking', data: 'sealed' },
    { type: 'tool_use', id: 'b', name: 'f', input: {} },
  ];
  const done = { content: [{ type: 'text', text: 'Done.' }], stop_reason: 'end_turn' };

  async function exchange(model: string, next = model) {
    const server = await startModelServer([{ body: { content, stop_reason: 'tool_use' } }, { body: done }]);
    onTestFinished(() => server.close());
    const anthropic = createAnthropicModel({ baseUrl: server.url, apiKey: 'a-key', fetch });
    const answer = await anthropic.send(ask('Begin.', { model }), running);
    // As the store keeps it.
    const messages: Message[] = JSON.parse(JSON.stringify(after(answer)));
    const request = ask('', { model: next, messages, reasoningEffort: 'high', maxTokens: 2000 });
    await anthropic.send(request, running);
    const [, sent] = server.requests;
    const { messages: told, thinking }: Published = Object(sent?.body);
    return { answer: told?.[1], thinking, beta: sent?.headers['anthropic-beta'] };
  }

  const plain = content.filter(({ type }) => type === 'text' || type === 'tool_use');

  test.each([
    ['claude-sonnet-4-5', { type: 'enabled', budget_tokens: 1600 }, undefined],
    ['claude-opus-4-8', { type: 'adaptive' }, undefined],
    [
      'claude-opus-5-5',
      { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } },
      'thinking-binding-controls-2026-08-01',
    ],
  ])('goes back to %s as it came', async (model, thinking, beta) => {
    expect(await exchange(model)).toEqual({ answer: { role: 'assistant', content }, thinking, beta });
  });

  test('goes to no other model, and an older one does not think on without', async () => {
    expect(await exchange('claude-opus-4-8', 'claude-sonnet-4-5')).toEqual({
      answer: { role: 'assistant', content: plain },
      thinking: undefined,
      beta: undefined,
    });
    expect(await exchange('claude-sonnet-4-5', 'claude-opus-4-8')).toEqual({
      answer: { role: 'assistant', content: plain },
      thinking: { type: 'adaptive' },
      beta: undefined,
    });
  });

  test('is not kept of a last answer, which no request sends back', async () => {
    const server = await startModelServer([
      { body: { content: content.slice(0, 2), stop_reason: 'end_turn' } },
    ]);
    onTestFinished(() => server.close());
    const anthropic = createAnthropicModel({ baseUrl: server.url, apiKey: 'a-key', fetch });
    expect(await anthropic.send(ask('Begin.'), running)).not.toHaveProperty('providerContent');
  });

  test('is not kept where the answer was cut in the middle of another one, which no API takes at the end', async () => {
    const thinking = { type: 'thinking', thinking: 'Hm.', signature: 'signed' };
    const call = { type: 'tool_use', id: 'a', name: 'f', input: {} };
    const server = await startModelServer([
      {
        body: {
          content: [thinking, call, { type: 'thinking', thinking: 'And', signature: '' }],
          stop_reason: 'max_tokens',
        },
      },
      {
        body: {
          status: 'incomplete',
          incomplete_details: { reason: 'max_output_tokens' },
          output: [
            { type: 'reasoning', id: 'rs_1', encrypted_content: 'sealed' },
            { type: 'function_call', id: 'fc_1', call_id: 'a', name: 'f', arguments: '{}' },
            { type: 'reasoning', id: 'rs_2', encrypted_content: 'sealed too' },
          ],
        },
      },
    ]);
    onTestFinished(() => server.close());
    const access = { baseUrl: server.url, apiKey: 'a-key', fetch };
    for (const model of [createAnthropicModel(access), createOpenAIModel(access)]) {
      const answer = await model.send(ask('Begin.', { api: 'responses' }), running);
      expect(answer).toMatchObject({
        calls: [{ id: 'a', name: 'f', arguments: {} }],
        stopReason: 'max_tokens',
      });
      expect(answer.providerContent).toBeUndefined();
    }
  });

  test('goes back through Bedrock as it came, if it is signed', async () => {
    stubAws();
    const model = 'anthropic.claude-sonnet-4-5-20250929-v1:0';
    const blocks = [
      { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'signed' } } },
      { reasoningContent: { redactedContent: 'c2VhbGVk' } },
      { reasoningContent: { reasoningText: { text: 'Not signed.' } } },
      { toolUse: { toolUseId: 'a', name: 'f', input: { x: 1 } } },
      { toolUse: { toolUseId: 'b', name: 'f', input: {} } },
    ];
    const server = await startModelServer([
      { body: { output: { message: { role: 'assistant', content: blocks } }, stopReason: 'tool_use' } },
      {
        body: {
          output: { message: { role: 'assistant', content: [{ text: 'Done.' }] } },
          stopReason: 'end_turn',
        },
      },
    ]);
    onTestFinished(() => server.close());
    const bedrock = await modelFor(`bedrock/${model}`, {
      apiKey: () => undefined,
      baseUrl: () => server.url,
      fetch,
      scripted: createOfflineModel,
    });
    const answer = await bedrock.model.send(ask('Begin.', { model }), running);
    const messages: Message[] = JSON.parse(JSON.stringify(after(answer)));
    await bedrock.model.send(ask('', { model, messages }), running);
    expect(Object(server.requests[1]?.body).messages[1]).toEqual({
      role: 'assistant',
      content: blocks.toSpliced(2, 1),
    });
  });

  test.each([
    ['gemini-3-pro', 'https://me.example', true],
    ['gemini-flash-latest', 'https://me.example', true],
    ['google/gemini-3-pro', 'https://aiplatform.googleapis.com/v1/endpoints/openapi', true],
    ['gemini-2.5-pro', 'https://generativelanguage.googleapis.com/v1beta/openai', false],
    ['google/gemini-3-pro', 'https://openrouter.ai/api/v1', false],
  ])('has a word in its place where none is kept of a call for %s at %s', (model, baseUrl, isThere) => {
    const signed = (thought_signature: string) => ({ extra_content: { google: { thought_signature } } });
    const call = (id: string) => ({ id, name: 'f', arguments: {} });
    const wire = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } });
    const kept = { wire: 'openai-chat', model, extra_content: [signed('own').extra_content, null] };
    const messages: Message[] = [
      { role: 'user', text: 'Begin.' },
      { role: 'assistant', text: '', calls: [call('a'), call('b')] },
      { role: 'assistant', text: '', calls: [call('c'), call('d')], providerContent: kept },
    ];
    const sent = toChat(ask('', { model, messages }), baseUrl).messages;
    expect(sent.flatMap((message) => ('tool_calls' in message ? [message.tool_calls] : []))).toEqual([
      [{ ...wire('a'), ...(isThere && signed('skip_thought_signature_validator')) }, wire('b')],
      [{ ...wire('c'), ...signed('own') }, wire('d')],
    ]);
  });

  test.each([
    'The `reasoning_content` in the thinking mode must be passed back to the API.',
    'thinking is enabled but reasoning_content is missing in assistant tool call message at index 1',
  ])('is a blank where none is kept, once a server has refused that: %s', async (message) => {
    const done = { body: { choices: [{ message: { content: 'Done.' }, finish_reason: 'stop' }] } };
    const server = await startModelServer([{ status: 400, body: { error: { message } } }, done, done]);
    onTestFinished(() => server.close());
    const { model } = await modelFor('openrouter/x', {
      apiKey: () => 'a-key',
      baseUrl: () => server.url,
      fetch,
      scripted: createOfflineModel,
    });
    const said = (content: string) => ({ role: 'assistant', content });
    const messages: Message[] = [
      { role: 'user', text: 'Begin.' },
      { role: 'assistant', text: 'So.', calls: [] },
      { role: 'user', text: 'Go on.' },
    ];
    for (const _ of [1, 2]) await model.send(ask('', { model: 'x', messages }), running);
    expect(server.requests.map(({ body }) => Object(body).messages[1])).toEqual([
      said('So.'),
      { ...said('So.'), reasoning_content: ' ' },
      { ...said('So.'), reasoning_content: ' ' },
    ]);
  });

  test('goes back to servers of OpenAI’s protocol in the fields that it came in', async () => {
    const signed = { google: { thought_signature: 'signed' } };
    const call = (id: string, more = {}) => ({
      id,
      type: 'function',
      function: { name: 'f', arguments: '{}' },
      ...more,
    });
    const thoughts = {
      reasoning_content: 'Hm.',
      reasoning_details: [{ type: 'reasoning.encrypted', data: 'sealed' }],
    };
    const message = {
      role: 'assistant',
      content: null,
      ...thoughts,
      tool_calls: [call('a', { extra_content: signed }), call('b')],
    };
    const server = await startModelServer([
      { body: { choices: [{ message, finish_reason: 'tool_calls' }] } },
      { body: { choices: [{ message: { content: 'Done.' }, finish_reason: 'stop' }] } },
      { body: { choices: [{ message: { content: 'Done.' }, finish_reason: 'stop' }] } },
    ]);
    onTestFinished(() => server.close());
    const { model } = await modelFor('openrouter/x', {
      apiKey: () => 'a-key',
      baseUrl: () => server.url,
      fetch,
      scripted: createOfflineModel,
    });
    const answer = await model.send(ask('Begin.', { model: 'x' }), running);
    const messages: Message[] = JSON.parse(JSON.stringify(after(answer)));
    for (const name of ['x', 'y']) await model.send(ask('', { model: name, messages }), running);
    const [, same, other] = server.requests.map(({ body }) => Object(body).messages[1]);
    expect(same).toEqual(message);
    expect(other).toEqual({ role: 'assistant', content: null, tool_calls: [call('a'), call('b')] });
  });
});
