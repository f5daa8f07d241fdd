import type Anthropic from '@anthropic-ai/sdk';
import { expect, test, onTestFinished } from 'vitest';
import type { CountTokensCommandInput } from '@aws-sdk/client-bedrock-runtime';
import { toCountRequest as toAnthropic } from '../../src/providers/anthropic/to-request.ts';
import { toCountRequest as toBedrock } from '../../src/providers/bedrock/to-request.ts';
import { createOfflineModel } from '../../src/providers/offline/offline.ts';
import { modelFor } from '../../src/places/models/registry.ts';
import { startModelServer, type Reply } from '../fixtures/model-server.ts';
import { ask, callAgent, conversation, running } from './requests.ts';
import { stubAws } from './wires.ts';

async function count(fullName: string, reply: Reply) {
  stubAws();
  const server = await startModelServer([reply]);
  onTestFinished(() => server.close());
  const { model, name } = await modelFor(fullName, {
    apiKey: () => 'a-key',
    baseUrl: () => server.url,
    fetch,
    scripted: createOfflineModel,
  });
  const request = ask('Hello', {
    model: name,
    system: 'Be brief.',
    maxTokens: 9,
    temperature: 0.5,
    tools: [callAgent],
  });
  return { counted: await model.countTokens?.(request, running), requests: server.requests };
}

const CLAUDE = 'anthropic.claude-sonnet-4-5-20250929-v1:0';

test('Anthropic is asked for a count with the prompt as it is sent, and nothing of the answer', async () => {
  const { counted, requests } = await count('anthropic/claude-sonnet-4-5', { body: { input_tokens: 412 } });
  expect(counted).toBe(412);
  expect(requests).toEqual([
    {
      method: 'POST',
      path: '/v1/messages/count_tokens',
      headers: {
        'anthropic-version': '2023-06-01',
        'content-type': 'application/json',
        'x-api-key': 'a-key',
      },
      body: {
        model: 'claude-sonnet-4-5',
        system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'Hello', cache_control: { type: 'ephemeral' } }] },
        ],
        tools: [{ name: 'call_agent', description: 'Delegate a task', input_schema: callAgent.parameters }],
      },
    },
  ]);
});

test.each(['', 'eu.', 'us-gov.', 'global.'])(
  'Bedrock is asked for a count by the name of the model, without that of its profile: %j',
  async (profile) => {
    const { counted, requests } = await count(`bedrock/${profile}${CLAUDE}`, { body: { inputTokens: 412 } });
    expect(counted).toBe(412);
    expect(requests.map(({ path, body }) => ({ path, body }))).toEqual([
      {
        path: `/model/${encodeURIComponent(CLAUDE)}/count-tokens`,
        body: {
          input: {
            converse: {
              system: [{ text: 'Be brief.' }, { cachePoint: { type: 'default' } }],
              messages: [{ role: 'user', content: [{ text: 'Hello' }, { cachePoint: { type: 'default' } }] }],
              toolConfig: {
                tools: [
                  {
                    toolSpec: {
                      name: 'call_agent',
                      description: 'Delegate a task',
                      inputSchema: { json: callAgent.parameters },
                    },
                  },
                ],
              },
            },
          },
        },
      },
    ]);
  },
);

test.each([
  ['anthropic/claude-sonnet-4-5', { body: { input_tokens: -1 } }],
  ['anthropic/claude-sonnet-4-5', { status: 404, body: { error: { message: 'no such path' } } }],
  [`bedrock/${CLAUDE}`, { body: {} }],
  [
    `bedrock/${CLAUDE}`,
    { status: 400, body: { message: "The provided model doesn't support counting tokens" } },
  ],
])('%s throws a ModelError where it gives no count', async (model, reply) => {
  await expect(count(model, reply)).rejects.toThrow(expect.objectContaining({ name: 'ModelError' }));
});

test('requests for counts are of the types that the providers publish', () => {
  const anthropic: Anthropic.MessageCountTokensParams = toAnthropic(conversation);
  const bedrock: CountTokensCommandInput = toBedrock(conversation);
  expect(anthropic).not.toHaveProperty('max_tokens');
  expect(bedrock.input?.converse).not.toHaveProperty('inferenceConfig');
});
