import { describe, expect, it, onTestFinished } from 'vitest';
import { createAnthropicModel } from '../../src/providers/anthropic/anthropic.ts';
import { fromResponse as fromBedrock } from '../../src/providers/bedrock/from-response.ts';
import type { ModelResponse } from '../../src/core/records/message.ts';
import { createOllamaModel } from '../../src/providers/ollama/ollama.ts';
import { createOpenAIModel } from '../../src/providers/openai/openai.ts';
import { startModelServer } from '../fixtures/model-server.ts';
import { ask, running } from './requests.ts';

interface Provider {
  /** The model's answer to "Begin." where its API says this. */
  answer(body: unknown): Promise<ModelResponse>;
  /** Its API's answer: calls of `f` with the arguments, and counts of tokens. */
  body(calls: readonly unknown[], input?: unknown, output?: unknown): unknown;
}

const request = ask('Begin.');
type Access = { baseUrl: string; apiKey: string; fetch: typeof fetch };

function overHttp(create: (access: Access) => ReturnType<typeof createOpenAIModel>, more = {}) {
  return async (body: unknown) => {
    const server = await startModelServer([{ body }]);
    onTestFinished(() => server.close());
    const model = create({ baseUrl: server.url, apiKey: 'key-of-provider', fetch });
    return model.send({ ...request, ...more }, running);
  };
}

const PROVIDERS: Record<string, Provider> = {
  anthropic: {
    answer: overHttp(createAnthropicModel),
    body: (calls, input_tokens, output_tokens) => ({
      content: calls.map((input) => ({ type: 'tool_use', name: 'f', input })),
      usage: { input_tokens, output_tokens, cache_read_input_tokens: input_tokens },
    }),
  },
  bedrock: {
    answer: async (body) => fromBedrock(request, body),
    body: (calls, inputTokens, outputTokens) => ({
      output: { message: { content: calls.map((input) => ({ toolUse: { name: 'f', input } })) } },
      usage: { inputTokens, outputTokens, cacheWriteInputTokens: inputTokens },
    }),
  },
  ollama: {
    answer: overHttp(createOllamaModel),
    body: (calls, prompt_eval_count, eval_count) => ({
      message: { tool_calls: calls.map((written) => ({ function: { name: 'f', arguments: written } })) },
      prompt_eval_count,
      eval_count,
    }),
  },
  'openai chat': {
    answer: overHttp(createOpenAIModel, { api: 'chat' }),
    body: (calls, prompt_tokens, completion_tokens) => ({
      choices: [
        {
          message: {
            tool_calls: calls.map((written) => ({
              type: 'function',
              function: { name: 'f', arguments: JSON.stringify(written) },
            })),
          },
        },
      ],
      usage: { prompt_tokens, completion_tokens, prompt_tokens_details: { cached_tokens: prompt_tokens } },
    }),
  },
  'openai responses': {
    answer: overHttp(createOpenAIModel, { api: 'responses' }),
    body: (calls, input_tokens, output_tokens) => ({
      status: 'completed',
      output: [
        { type: 'reasoning', encrypted_content: 'x' },
        ...calls.map((written, index) => ({
          type: 'function_call',
          call_id: `c${index}`,
          name: 'f',
          arguments: written,
        })),
      ],
      usage: { input_tokens, output_tokens, input_tokens_details: { cached_tokens: input_tokens } },
    }),
  },
};

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

describe.each(Object.entries(PROVIDERS))('an odd answer of %s', (_, { answer, body }) => {
  it('has no arguments where they are nested deeper than anything can be kept', async () => {
    const { calls, providerContent } = await answer(body([{ a: nested(1500) }, { a: nested(60) }]));
    expect(calls.map((call) => call.arguments)).toEqual([{}, { a: nested(60) }]);
    expect(providerContent).toBe(undefined);
  });

  it('is read up to a number of calls that no model writes', async () => {
    const { calls } = await answer(body(Array.from({ length: 5000 }, () => ({}))));
    expect(calls.length).toBeGreaterThan(900);
    expect(calls.length).toBeLessThanOrEqual(1000);
  });

  it.each([-1_000_000, 0.5, 1e300, '7', null, undefined])(
    'that counts %j tokens is counted by its length',
    async (count) => {
      const { usage } = await answer(body([{ a: 'x'.repeat(39) }], count, count));
      expect(usage).toMatchObject({ inputTokens: 2, outputTokens: 12 });
      expect(usage.cacheReadTokens ?? 0).toBe(0);
      expect(usage.cacheWriteTokens ?? 0).toBe(0);
    },
  );
});

it('an answer of a million wrong parts is refused at the first of them, at the cost of its text', async () => {
  const parts: unknown[] = Array.from({ length: 1_000_000 }, () => 0);
  const body = { output: { message: { content: parts } } };
  const before = process.memoryUsage().heapUsed;
  expect(() => fromBedrock(request, body)).toThrow(
    /^server: failed to parse response: output\.message\.content\.0: Invalid type/,
  );
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(20 * 2 ** 20);
});
