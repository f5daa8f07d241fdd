import { expect, test } from 'vitest';
import { createOpenAiApi } from '../../../src/doors/api/openai/openai-api.ts';
import type { Role } from '../../fixtures/stage.ts';
import { contextOf } from './served-agents.ts';

/** A door to agents, as clients of OpenAI ask it. */
async function openDoor(roles: Record<string, Role>, extra: Record<string, string> = {}) {
  const { context } = await contextOf(roles, extra);
  const api = createOpenAiApi(context);
  return async (path: string, body?: object) => {
    const init = body && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    const response = await api.request(path, init);
    return { status: response.status, body: await response.json() };
  };
}

const hello = [{ role: 'user', content: 'hello' }];
const refused = (status: number, message: string, param: string | null, code: string | null) => ({
  status,
  body: { error: { message, type: 'invalid_request_error', param, code } },
});

test('agents are models, alone and in a list, and nothing else is there', async () => {
  const ask = await openDoor({ top: () => 'so', kid: () => 'so' });
  const model = (id: string) => ({ id, object: 'model', created: 0, owned_by: 'cadre' });
  expect(await ask('/v1/models')).toEqual({
    status: 200,
    body: { object: 'list', data: [model('cadre/kid'), model('cadre/top')] },
  });
  expect(await ask('/v1/models/cadre/top')).toEqual({ status: 200, body: model('cadre/top') });
  expect([await ask('/v1/models/cadre/pot'), await ask('/v1/models/top'), await ask('/v1/other')]).toEqual([
    refused(404, 'there is no agent "pot"', 'model', 'model_not_found'),
    refused(
      404,
      'there is no model "top": agents are cadre/<agent>, see GET /v1/models; did you mean "cadre/top"?',
      'model',
      'model_not_found',
    ),
    refused(404, 'there is no GET /v1/other here', null, 'unknown_url'),
  ]);
});

test('a completion is the answer of a run, and what cannot be asked is refused by name', async () => {
  const ask = await openDoor({
    top: () => 'the answer',
    kid: () => {
      throw new Error('gone');
    },
  });
  const complete = (body: object) =>
    ask('/v1/chat/completions', { model: 'cadre/top', messages: hello, ...body });
  expect([
    await complete({}),
    await complete({ model: 'cadre/kid' }),
    await complete({ n: 2 }),
    await complete({ messages: [] }),
    await complete({ response_format: { type: 'json_object' } }),
  ]).toEqual([
    {
      status: 200,
      body: {
        id: expect.stringMatching(/^chatcmpl-top-/),
        object: 'chat.completion',
        created: expect.any(Number),
        model: 'cadre/top',
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content: 'the answer', refusal: null },
            logprobs: null,
            finish_reason: 'stop',
          },
        ],
        usage: {
          prompt_tokens: 10,
          completion_tokens: 1,
          total_tokens: 11,
          prompt_tokens_details: { cached_tokens: 0 },
        },
      },
    },
    {
      status: 422,
      body: {
        error: {
          message: expect.stringMatching(/^run "kid-\w+" failed: gone$/),
          type: 'run_error',
          param: null,
          code: 'run_failed',
        },
      },
    },
    refused(400, 'n is not supported: an agent gives one answer', 'n', null),
    refused(400, 'messages must end with a message of the user, which is the prompt', 'messages', null),
    refused(
      400,
      "response_format is not supported: the agent's file has no [output]",
      'response_format',
      null,
    ),
  ]);
});
