import { expect, onTestFinished, test } from 'vitest';
import { createOfflineModel } from '../../src/providers/offline/offline.ts';
import { modelFor } from '../../src/places/models/registry.ts';
import { startModelServer } from '../fixtures/model-server.ts';
import { ask, callAgent, running } from './requests.ts';
import { stubAws } from './wires.ts';

/** By the model's wire, the form of an answer that stops for a reason, and the reasons that its reference lists. */
const WIRES: [name: string, form: (reason: string) => object, reasons: Record<string, string>][] = [
  [
    'anthropic/claude-sonnet-4-5',
    (stop_reason) => ({ content: [{ type: 'text', text: 'so' }], stop_reason }),
    {
      end_turn: 'end',
      max_tokens: 'max_tokens',
      model_context_window_exceeded: 'max_tokens',
      refusal: 'refusal',
      stop_sequence: 'end',
      tool_use: 'tool_calls',
      odd: 'other',
    },
  ],
  [
    'bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0',
    (stopReason) => ({ output: { message: { role: 'assistant', content: [{ text: 'so' }] } }, stopReason }),
    {
      content_filtered: 'refusal',
      end_turn: 'end',
      guardrail_intervened: 'refusal',
      max_tokens: 'max_tokens',
      model_context_window_exceeded: 'max_tokens',
      stop_sequence: 'end',
      tool_use: 'tool_calls',
      odd: 'other',
    },
  ],
  [
    'mistral/mistral-large-latest',
    (finish_reason) => ({ choices: [{ message: { role: 'assistant', content: 'so' }, finish_reason }] }),
    {
      content_filter: 'refusal',
      'content_filter: RECITATION': 'refusal',
      function_call: 'tool_calls',
      length: 'max_tokens',
      model_length: 'max_tokens',
      refusal: 'refusal',
      stop: 'end',
      tool_calls: 'tool_calls',
      odd: 'other',
    },
  ],
];

test.each(WIRES)('%s stops for a reason that is known', async (name, form, reasons) => {
  stubAws();
  const server = await startModelServer(Object.keys(reasons).map((reason) => ({ body: form(reason) })));
  onTestFinished(() => server.close());
  const sources = { apiKey: () => 'a-key', baseUrl: () => server.url, fetch, scripted: createOfflineModel };
  const { model } = await modelFor(name, sources);
  const heard: Record<string, string> = {};
  for (const _ of Object.keys(reasons)) {
    const { stopReason, rawStopReason } = await model.send(ask('Begin.', { model: name }), running);
    heard[rawStopReason] = stopReason;
  }
  expect(heard).toEqual(reasons);
});

test.each([
  [
    'mistral/mistral-large-latest',
    { choices: [{ message: { role: 'assistant', content: 'It is' }, finish_reason: 'error' }] },
    'error',
  ],
  [
    'openrouter/deepseek/deepseek-v4-pro',
    {
      choices: [
        { message: { role: 'assistant', content: 'It is' }, finish_reason: 'insufficient_system_resource' },
      ],
    },
    'insufficient_system_resource',
  ],
  [
    'gemini/gemini-3-flash',
    {
      choices: [
        { message: { role: 'assistant' }, finish_reason: 'function_call_filter: MALFORMED_FUNCTION_CALL' },
      ],
    },
    'function_call_filter: MALFORMED_FUNCTION_CALL',
  ],
  [
    'bedrock/amazon.nova-pro-v1:0',
    { output: { message: { role: 'assistant', content: [{ text: '' }] } }, stopReason: 'malformed_tool_use' },
    'malformed_tool_use',
  ],
])('%s has failed where its answer broke off, or a call was filtered out', async (name, body, reason) => {
  stubAws();
  const usage = {
    usage: { prompt_tokens: 9, completion_tokens: 4, inputTokens: 9, outputTokens: 4, totalTokens: 13 },
  };
  const server = await startModelServer([{ body: { ...body, ...usage } }]);
  onTestFinished(() => server.close());
  const sources = { apiKey: () => 'a-key', baseUrl: () => server.url, fetch, scripted: createOfflineModel };
  const { model, name: own } = await modelFor(name, sources);
  await expect(model.send(ask('Begin.', { model: own }), running)).rejects.toMatchObject({
    category: 'server',
    message: `server: the model did not finish its answer (${reason})`,
    details: { spent: { inputTokens: 9, outputTokens: 4 } },
  });
});

test.each<[string, object]>([
  [
    'anthropic/claude-sonnet-4-5',
    { content: [{ type: 'tool_use', id: 'a', name: 'f', input: '{"pa' }], stop_reason: 'refusal' },
  ],
  [
    'bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0',
    {
      output: { message: { content: [{ toolUse: { toolUseId: 'a', name: 'f', input: '{"pa' } }] } },
      stopReason: 'guardrail_intervened',
    },
  ],
  [
    'mistral/mistral-large-latest',
    {
      choices: [
        {
          message: { tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{"pa' } }] },
          finish_reason: 'content_filter',
        },
      ],
    },
  ],
  [
    'openai/gpt-5.6',
    {
      status: 'incomplete',
      incomplete_details: { reason: 'content_filter' },
      output: [{ type: 'function_call', call_id: 'a', name: 'f', arguments: '{"pa' }],
    },
  ],
])('a call of %s in which the answer was refused is cut', async (name, body) => {
  stubAws();
  const server = await startModelServer([{ body }]);
  onTestFinished(() => server.close());
  const sources = { apiKey: () => 'a-key', baseUrl: () => server.url, fetch, scripted: createOfflineModel };
  const { model, name: own } = await modelFor(name, sources);
  const { calls, stopReason } = await model.send(ask('Begin.', { model: own, tools: [callAgent] }), running);
  expect({ calls, stopReason }).toEqual({
    calls: [{ id: 'a', name: 'f', arguments: {}, cut: true }],
    stopReason: 'refusal',
  });
});

test.each(['{"task": "one", "ag', '[1]', '"one"', '{"a":'.repeat(2_000) + '1' + '}'.repeat(2_000)])(
  'a call whose arguments are no JSON object is cut, for without them it would do something else (%#)',
  async (written) => {
    const calls = [written, '', 'null', '{}'].map((text, index) => ({
      id: `${index}`,
      function: { name: 'f', arguments: text },
    }));
    const server = await startModelServer([
      { body: { choices: [{ message: { tool_calls: calls }, finish_reason: 'tool_calls' }] } },
    ]);
    onTestFinished(() => server.close());
    const sources = { apiKey: () => 'a-key', baseUrl: () => server.url, fetch, scripted: createOfflineModel };
    const { model, name } = await modelFor('mistral/mistral-large-latest', sources);
    const answer = await model.send(ask('Begin.', { model: name, tools: [callAgent] }), running);
    expect(answer.calls).toEqual([
      { id: '0', name: 'f', arguments: {}, cut: true },
      ...['1', '2', '3'].map((id) => ({ id, name: 'f', arguments: {} })),
    ]);
  },
);
