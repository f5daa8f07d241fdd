import type { ConverseCommandInput } from '@aws-sdk/client-bedrock-runtime';
import type Anthropic from '@anthropic-ai/sdk';
import type { ChatRequest } from 'ollama';
import type OpenAI from 'openai';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ModelRequest } from '../../src/core/model/model.ts';
import { createOfflineModel } from '../../src/providers/offline/offline.ts';
import { modelFor } from '../../src/places/models/registry.ts';
import type { ToolParameters } from '../../src/core/records/message.ts';
import { startModelServer, type Reply } from '../fixtures/model-server.ts';
import { ask, callAgent, running, STREAMED, STREAMED_CHAT } from './requests.ts';
import { stubAws } from './wires.ts';

const SCHEMA: ToolParameters = {
  type: 'object',
  properties: { city: { type: 'string', minLength: 1 }, degrees: { type: 'number', maximum: 60 } },
  required: ['city', 'degrees'],
};
/** The same, as it is where a model is held to it token by token. */
const CLOSED: ToolParameters = {
  type: 'object',
  properties: { city: { type: 'string' }, degrees: { type: 'number' } },
  required: ['city', 'degrees'],
  additionalProperties: false,
};
const OPTIONAL: ToolParameters = { ...SCHEMA, required: ['city'] };
const OPEN: ToolParameters = { type: 'object', additionalProperties: { type: 'number' } };

const ANSWER_TOOL = {
  name: 'final_answer',
  description:
    'Gives your final answer, which ends your work. Call it alone, once you have done everything else.',
};
const JSON_TEXT = '{"city":"Rome","degrees":30}';
const ROME = { city: 'Rome', degrees: 30 };
const messages = [{ role: 'user' as const, content: 'Weather?' }];

async function modelOn(url: string, model: string) {
  stubAws();
  return modelFor(model, {
    providers: ['acme'],
    apiKey: () => 'a-key',
    baseUrl: () => url,
    fetch,
    scripted: createOfflineModel,
  });
}

/** Sends a request to a server that answers once; what arrived there, and what was answered. */
async function exchange(model: string, request: Partial<ModelRequest>, reply: object) {
  return exchangeWith(model, request, { body: reply });
}

async function exchangeWith(model: string, request: Partial<ModelRequest>, reply: Reply) {
  const server = await startModelServer([reply]);
  onTestFinished(() => server.close());
  const found = await modelOn(server.url, model);
  const answer = await found.model.send(
    ask('Weather?', { model: found.name, outputSchema: SCHEMA, ...request }),
    running,
  );
  return { answer, bodies: server.requests.map(({ body }) => body) };
}

const chat = (message: object) => ({ choices: [{ message, finish_reason: 'stop' }] });
const chatAnswer = chat({ content: JSON_TEXT });
const chatCalls = (...names: string[]) =>
  chat({
    content: null,
    tool_calls: names.map((name, index) => ({
      id: `c${index}`,
      type: 'function',
      function: { name, arguments: name === ANSWER_TOOL.name ? JSON_TEXT : '{"agent":"ada","task":"t"}' },
    })),
  });
const messageOf = (...content: object[]) => ({ content, stop_reason: 'end_turn' });
const converseOf = (...content: object[]) => ({
  output: { message: { role: 'assistant', content } },
  stopReason: 'end_turn',
});
const refusal = (status: number, message: string) => ({ status, body: { error: { message } } });

describe('an answer with a schema is asked for', () => {
  it('from Chat Completions by response_format, strictly where every property is required', async () => {
    const { answer, bodies } = await exchange('openai/gpt-4o', {}, chatAnswer);
    const published: OpenAI.ChatCompletionCreateParamsNonStreaming = {
      model: 'gpt-4o',
      messages,
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'answer', strict: true, schema: { ...CLOSED } },
      },
    };
    expect(bodies).toEqual([{ ...published, ...STREAMED_CHAT }]);
    expect(answer).toMatchObject({ text: JSON_TEXT, calls: [] });
  });

  it.each([OPTIONAL, OPEN])(
    'from Chat Completions as it is, and not strictly, otherwise: %j',
    async (schema) => {
      const { bodies } = await exchange('openai/gpt-4o', { outputSchema: schema }, chatAnswer);
      expect(bodies).toMatchObject([
        { response_format: { json_schema: { name: 'answer', strict: false, schema } } },
      ]);
    },
  );

  it('from Responses by text.format, beside tools', async () => {
    const body = {
      status: 'completed',
      output: [{ type: 'message', content: [{ type: 'output_text', text: JSON_TEXT }] }],
    };
    const { answer, bodies } = await exchange('openai/gpt-5.4', { tools: [callAgent] }, body);
    const published: Partial<OpenAI.Responses.ResponseCreateParamsNonStreaming> = {
      text: { format: { type: 'json_schema', name: 'answer', strict: true, schema: { ...CLOSED } } },
    };
    expect(bodies).toMatchObject([{ ...published, tools: [{ name: 'call_agent' }] }]);
    expect(answer.text).toBe(JSON_TEXT);
  });

  it('from Claude by output_config, beside effort and tools', async () => {
    const { answer, bodies } = await exchange(
      'anthropic/claude-sonnet-4-6',
      { tools: [callAgent], reasoningEffort: 'low' },
      messageOf({ type: 'text', text: JSON_TEXT }),
    );
    const output_config: Anthropic.OutputConfig = {
      effort: 'low',
      format: { type: 'json_schema', schema: CLOSED },
    };
    expect(bodies).toMatchObject([{ output_config, tools: [{ name: 'call_agent' }] }]);
    expect(bodies[0]).not.toHaveProperty('tool_choice');
    expect(answer.text).toBe(JSON_TEXT);
  });

  it('from Claude on Bedrock by outputConfig, with the schema as text', async () => {
    const { answer, bodies } = await exchange(
      'bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
      { stream: false },
      converseOf({ text: JSON_TEXT }),
    );
    const outputConfig: ConverseCommandInput['outputConfig'] = {
      textFormat: {
        type: 'json_schema',
        structure: { jsonSchema: { name: 'answer', schema: JSON.stringify(CLOSED) } },
      },
    };
    expect(bodies).toEqual([{ messages: [{ role: 'user', content: [{ text: 'Weather?' }] }], outputConfig }]);
    expect(answer.text).toBe(JSON_TEXT);
  });

  it('from Ollama by format', async () => {
    const { answer, bodies } = await exchange('ollama/qwen3', {}, { message: { content: JSON_TEXT } });
    const published: ChatRequest & { stream: false } = {
      model: 'qwen3',
      stream: false,
      messages,
      format: CLOSED,
    };
    expect(bodies).toEqual([{ ...published, ...STREAMED }]);
    expect(answer.text).toBe(JSON_TEXT);
  });

  it("from other servers of OpenAI's protocol likewise, as long as no tool is on offer", async () => {
    const { bodies } = await exchange('acme/big-one', {}, chatAnswer);
    expect(bodies).toMatchObject([{ response_format: { json_schema: { strict: true, schema: CLOSED } } }]);
  });
});

describe('an answer with a schema is the arguments of a tool', () => {
  const tool = { type: 'function', function: { ...ANSWER_TOOL, parameters: SCHEMA } };

  it('with older Claudes, which have to call one', async () => {
    const { answer, bodies } = await exchange(
      'anthropic/claude-3-5-haiku',
      {},
      messageOf({ type: 'tool_use', id: 'a', name: 'final_answer', input: ROME }),
    );
    expect(bodies).toEqual([
      {
        model: 'claude-3-5-haiku',
        max_tokens: 4096,
        messages: [{ role: 'user', content: expect.anything() }],
        tools: [{ ...ANSWER_TOOL, input_schema: SCHEMA, cache_control: { type: 'ephemeral' } }],
        tool_choice: { type: 'any' },
        ...STREAMED,
      },
    ]);
    expect(answer).toMatchObject({ text: JSON_TEXT, calls: [], stopReason: 'end' });
  });

  it('with Claude and a schema that it cannot be held to; while it thinks, the choice is its own', async () => {
    const reply = messageOf({ type: 'text', text: '{"a":1}' });
    const thinking = { outputSchema: OPEN, reasoningEffort: 'low' } as const;
    const { answer, bodies } = await exchange('anthropic/claude-sonnet-4-6', thinking, reply);
    expect(bodies).toMatchObject([
      { tools: [{ ...ANSWER_TOOL, input_schema: OPEN }], output_config: { effort: 'low' } },
    ]);
    expect(bodies[0]).not.toHaveProperty('tool_choice');
    expect(answer).toMatchObject({ text: '{"a":1}', calls: [] });
  });

  it.each([
    ['amazon.nova-lite-v1:0', { any: {} }],
    ['eu.anthropic.claude-3-haiku-20240307-v1:0', { any: {} }],
    ['meta.llama3-3-70b-instruct-v1:0', undefined],
  ])('on Bedrock with %s, tool choice %j', async (model, toolChoice) => {
    const { answer, bodies } = await exchange(
      `bedrock/${model}`,
      { stream: false },
      converseOf({ toolUse: { toolUseId: 'a', name: 'final_answer', input: ROME } }),
    );
    expect(bodies).toEqual([
      {
        messages: [{ role: 'user', content: expect.anything() }],
        toolConfig: {
          tools: [{ toolSpec: { ...ANSWER_TOOL, inputSchema: { json: SCHEMA } } }],
          ...(toolChoice && { toolChoice }),
        },
      },
    ]);
    expect(answer.text).toBe(JSON_TEXT);
  });

  it.each(['acme/big-one', 'groq/llama-3.3-70b'])('with %s where other tools are on offer', async (model) => {
    const { answer, bodies } = await exchange(model, { tools: [callAgent] }, chatCalls('final_answer'));
    expect(bodies).toMatchObject([{ tools: [{ function: { name: 'call_agent' } }, tool] }]);
    expect(bodies[0]).not.toHaveProperty('response_format');
    expect(answer).toMatchObject({ text: JSON_TEXT, calls: [] });
  });

  it('with Ollama where other tools are on offer', async () => {
    const call = { function: { name: 'final_answer', arguments: ROME } };
    const { answer, bodies } = await exchange(
      'ollama/qwen3',
      { tools: [callAgent] },
      { message: { content: '', tool_calls: [call] } },
    );
    expect(bodies).toMatchObject([{ tools: [{ function: { name: 'call_agent' } }, tool] }]);
    expect(bodies[0]).not.toHaveProperty('format');
    expect(answer).toMatchObject({ text: JSON_TEXT, calls: [] });
  });

  it('and counts for nothing beside calls of other tools', async () => {
    const reply = chatCalls('call_agent', 'final_answer');
    const { answer } = await exchange('acme/big-one', { tools: [callAgent] }, reply);
    expect(answer).toMatchObject({ text: '', calls: [{ name: 'call_agent' }] });
  });

  it('and is empty where the limit of tokens cut it', async () => {
    const { answer } = await exchange(
      'anthropic/claude-3-5-haiku',
      {},
      {
        content: [{ type: 'tool_use', id: 'a', name: 'final_answer', input: {} }],
        stop_reason: 'max_tokens',
      },
    );
    expect(answer).toMatchObject({ text: '', calls: [], stopReason: 'max_tokens' });
  });
});

describe('a server that refuses the schema', () => {
  it.each([
    [
      'acme/deepseek-chat',
      refusal(400, 'This response_format type is unavailable now'),
      chatCalls('final_answer'),
    ],
    [
      'openai/gpt-4',
      refusal(400, "'response_format' of type 'json_schema' is not supported with this model"),
      chatAnswer,
    ],
    ['acme/picky', refusal(422, 'json_schema: unknown variant'), chatAnswer],
    [
      'acme/precise',
      {
        status: 422,
        body: { detail: [{ loc: ['body', 'response_format', 'type'], msg: 'Input should be text' }] },
      },
      chatAnswer,
    ],
    [
      'anthropic/claude-opus-4-5',
      refusal(400, 'output_config.format.schema: too many optional parameters'),
      messageOf({ type: 'tool_use', id: 'a', name: 'final_answer', input: ROME }),
    ],
    [
      'ollama/old',
      refusal(400, 'invalid format: expected "json" or a JSON schema'),
      { message: { content: JSON_TEXT } },
    ],
  ])('%s is asked by way of a tool, from then on at once', async (model, refused, answered) => {
    const server = await startModelServer([refused, { body: answered }, { body: answered }]);
    onTestFinished(() => server.close());
    const found = await modelOn(server.url, model);
    const request = ask('Weather?', { model: found.name, outputSchema: SCHEMA });
    const answers = [await found.model.send(request, running), await found.model.send(request, running)];
    expect(answers.map(({ text }) => text)).toEqual([JSON_TEXT, JSON_TEXT]);
    const hasTool = server.requests.map(({ body }) => JSON.stringify(body).includes('final_answer'));
    expect(hasTool).toEqual([false, true, true]);
  });

  it('for another reason is not asked again', async () => {
    await expect(exchangeWith('openai/gpt-4o', {}, refusal(400, 'you are out of luck'))).rejects.toThrow(
      'bad_request: you are out of luck',
    );
    await expect(exchangeWith('openai/gpt-4o', {}, refusal(500, 'the schema was lost'))).rejects.toThrow(
      'server',
    );
  });
});

it('offline/extractive refuses a schema in words', async () => {
  await expect(exchange('offline/extractive', {}, {})).rejects.toThrow(
    'offline/extractive picks sentences and cannot answer with JSON: an agent with [output] needs another model',
  );
});
