import { expect, onTestFinished, test } from 'vitest';
import type { Model, ModelRequest } from '../../src/core/model/model.ts';
import { createAnthropicModel } from '../../src/providers/anthropic/anthropic.ts';
import { failed } from '../../src/providers/batches.ts';
import type { ApiAccess } from '../../src/providers/http.ts';
import { createOllamaModel } from '../../src/providers/ollama/ollama.ts';
import { createOpenAIModel } from '../../src/providers/openai/openai.ts';
import { startModelServer } from '../fixtures/model-server.ts';
import { ask, running } from './requests.ts';

/** What a person reads of an answer with status 200. */
async function faultOf(
  create: (access: ApiAccess) => Model,
  body: string | object,
  more: Partial<ModelRequest> = {},
): Promise<string> {
  const server = await startModelServer([{ body }]);
  onTestFinished(() => server.close());
  const model = create({ baseUrl: server.url, apiKey: 'sk-secret-0123456789', fetch });
  return model.send(ask('x', more), running).then(() => 'nothing was thrown', String);
}

const RESPONSES = { api: 'responses' } as const;

test.each<[string, (access: ApiAccess) => Model, object, string, Partial<ModelRequest>]>([
  ['Anthropic', createAnthropicModel, { content: [], stop_reason: '' }, 'content', {}],
  ['Chat Completions', createOpenAIModel, { choices: [] }, 'choices', {}],
  ['Responses', createOpenAIModel, { output: [] }, 'output', RESPONSES],
  ['Ollama', createOllamaModel, { message: { content: '' } }, 'content', {}],
])('an answer of %s that holds nothing, or is none, is told as that', async (_, create, body, what, more) => {
  const told = 'ModelError: server: ';
  expect(await faultOf(create, body, more)).toBe(`${told}response contains no ${what}`);
  expect(await faultOf(create, '[]', more)).toBe(
    `${told}failed to parse response: expected an object, got an array`,
  );
  expect(await faultOf(create, '7', more)).toBe(
    `${told}failed to parse response: the whole: Invalid type: Expected Object but received 7`,
  );
});

test.each([
  [
    { type: 'overloaded_error', message: 'busy' },
    { category: 'overloaded', message: 'busy' },
  ],
  [{ error: { type: 'rate_limit_error', message: 'slower' } }, { category: 'rate_limit', message: 'slower' }],
  [{}, { category: 'server', message: 'the request failed in its batch' }],
  [null, { category: 'server', message: 'the request failed in its batch' }],
])('a request that fails in its batch is told in words: %j', (error, told) => {
  expect(failed(error)).toEqual({ failed: told });
});
