import { expect, onTestFinished, test } from 'vitest';
import { toMessages, toReceived } from '../../src/core/turn/messages.ts';
import { startModelServer } from '../fixtures/model-server.ts';
import { ask, callAgent, running } from './requests.ts';
import { modelAt, WIRES } from './wires.ts';

/** What a model is told after its calls: results, which came in another order, then mail, then what a person says. */
const messages = toMessages(
  [
    { role: 'user', text: 'Begin.' },
    {
      role: 'assistant',
      text: 'I ask both.',
      calls: [
        { id: 'one', name: 'call_agent', arguments: { agent: 'ada' } },
        { id: 'two', name: 'call_agent', arguments: { agent: 'bob' } },
      ],
    },
  ],
  [],
  toReceived(
    [
      { callId: 'two', name: 'call_agent', text: 'Error: bob is ill', isError: true },
      { callId: 'one', name: 'call_agent', text: '42', isError: false },
    ],
    [{ text: '[mail from ada]\nForty-two it is.' }, { text: 'Hurry up.' }],
  ),
);

const MAIL = '[mail from ada]\nForty-two it is.';
const WORDS = 'Hurry up.';
const SAID = `${MAIL}\n\n${WORDS}`;
const { name, description, parameters } = callAgent;
const cached = { cache_control: { type: 'ephemeral' } };
const cachePoint = { cachePoint: { type: 'default' } };

const chatBody = (afterCalls: object[], [one, two] = ['one', 'two']) => ({
  model: 'gpt-4o',
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Begin.' },
    {
      role: 'assistant',
      content: 'I ask both.',
      tool_calls: [
        { id: one, type: 'function', function: { name, arguments: '{"agent":"ada"}' } },
        { id: two, type: 'function', function: { name, arguments: '{"agent":"bob"}' } },
      ],
    },
    { role: 'tool', tool_call_id: one, content: '42' },
    ...afterCalls,
  ],
  tools: [{ type: 'function', function: { name, description, parameters } }],
});

const ollamaBody = (afterCalls: object[]) => ({
  model: 'qwen3',
  stream: false,
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Begin.' },
    {
      role: 'assistant',
      content: 'I ask both.',
      tool_calls: [
        { function: { name, arguments: { agent: 'ada' } } },
        { function: { name, arguments: { agent: 'bob' } } },
      ],
    },
    { role: 'tool', content: '42', tool_name: name },
    ...afterCalls,
  ],
  tools: [{ type: 'function', function: { name, description, parameters } }],
});

const EXPECTED: Record<string, object> = {
  anthropic: {
    model: 'claude-sonnet-4-5',
    max_tokens: 4096,
    system: [{ type: 'text', text: 'Be brief.', ...cached }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Begin.', ...cached }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I ask both.' },
          { type: 'tool_use', id: 'one', name, input: { agent: 'ada' } },
          { type: 'tool_use', id: 'two', name, input: { agent: 'bob' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'one', content: '42', is_error: false },
          { type: 'tool_result', tool_use_id: 'two', content: 'Error: bob is ill', is_error: true },
          { type: 'text', text: MAIL },
          { type: 'text', text: WORDS, ...cached },
        ],
      },
    ],
    tools: [{ name, description, input_schema: parameters }],
  },
  bedrock: {
    system: [{ text: 'Be brief.' }, cachePoint],
    messages: [
      { role: 'user', content: [{ text: 'Begin.' }, cachePoint] },
      {
        role: 'assistant',
        content: [
          { text: 'I ask both.' },
          { toolUse: { toolUseId: 'one', name, input: { agent: 'ada' } } },
          { toolUse: { toolUseId: 'two', name, input: { agent: 'bob' } } },
        ],
      },
      {
        role: 'user',
        content: [
          { toolResult: { toolUseId: 'one', content: [{ text: '42' }], status: 'success' } },
          { toolResult: { toolUseId: 'two', content: [{ text: 'Error: bob is ill' }], status: 'error' } },
          { text: MAIL },
          { text: WORDS },
          cachePoint,
        ],
      },
    ],
    toolConfig: { tools: [{ toolSpec: { name, description, inputSchema: { json: parameters } } }] },
  },
  ollama: ollamaBody([
    { role: 'tool', content: 'Error: bob is ill', tool_name: name },
    { role: 'user', content: SAID },
  ]),
  'openai chat': chatBody([
    { role: 'tool', tool_call_id: 'two', content: 'Error: bob is ill' },
    { role: 'user', content: SAID },
  ]),
  'openai responses': {
    model: 'gpt-5',
    store: false,
    instructions: 'Be brief.',
    input: [
      { type: 'message', role: 'user', content: 'Begin.' },
      { type: 'message', role: 'assistant', content: 'I ask both.' },
      { type: 'function_call', call_id: 'one', name, arguments: '{"agent":"ada"}' },
      { type: 'function_call', call_id: 'two', name, arguments: '{"agent":"bob"}' },
      { type: 'function_call_output', call_id: 'one', output: '42' },
      { type: 'function_call_output', call_id: 'two', output: 'Error: bob is ill' },
      { type: 'message', role: 'user', content: SAID },
    ],
    tools: [{ type: 'function', name, description, parameters, strict: false }],
    include: ['reasoning.encrypted_content'],
  },
};

const STRICT: Record<string, object> = {
  ...EXPECTED,
  ollama: ollamaBody([{ role: 'tool', content: `Error: bob is ill\n\n${SAID}`, tool_name: name }]),
  'openai chat': chatBody(
    [{ role: 'tool', tool_call_id: '3fc4ccfe7', content: `Error: bob is ill\n\n${SAID}` }],
    ['7692c3ad3', '3fc4ccfe7'],
  ),
};

test.each(
  Object.entries(WIRES).flatMap(([wireName, wire]) => [
    { order: 'in the usual order', wireName, wire, strictRoles: false, expected: EXPECTED[wireName] },
    { order: 'where roles are strict', wireName, wire, strictRoles: true, expected: STRICT[wireName] },
  ]),
)(
  '$wireName is told results, mail and what a person says, $order',
  async ({ wire, strictRoles, expected }) => {
    const server = await startModelServer([{ body: wire.plain }]);
    onTestFinished(() => server.close());
    const { model, name: modelName } = await modelAt(server.url, wire, strictRoles);
    const request = ask('', {
      model: modelName,
      system: 'Be brief.',
      messages,
      tools: [callAgent],
      ...wire.request,
    });
    expect((await model.send(request, running)).text).toBe('Done.');
    expect(server.requests.map(({ body }) => body)).toEqual([{ ...expected, ...wire.asking }]);
  },
);
