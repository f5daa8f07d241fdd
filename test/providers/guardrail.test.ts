import { beforeEach, afterEach, describe, expect, test, vi } from 'vitest';
import type {
  ApplyGuardrailCommandInput,
  ApplyGuardrailCommandOutput,
  ConverseCommandInput,
} from '@aws-sdk/client-bedrock-runtime';
import type { Model, ModelRequest } from '../../src/core/model/model.ts';
import { modelFor } from '../../src/places/models/registry.ts';
import { toCountRequest, toRequest } from '../../src/providers/bedrock/to-request.ts';
import { startModelServer, type ModelServer, type Reply } from '../fixtures/model-server.ts';
import { anAnswer } from '../fixtures/records.ts';
import { stubBedrockAccount } from '../fixtures/stub-bedrock-account.ts';
import { ask, running } from './requests.ts';

beforeEach(stubBedrockAccount);

let server: ModelServer | undefined;
afterEach(async () => {
  vi.unstubAllEnvs();
  await server?.close();
  server = undefined;
});

const GUARDRAIL = { id: 'abc', version: '1' };

/** An answer of ApplyGuardrail; the type is the SDK's, so that it cannot part from it. */
function applied(given: Partial<ApplyGuardrailCommandOutput>): Reply {
  const usage = {
    topicPolicyUnits: 0,
    contentPolicyUnits: 1,
    wordPolicyUnits: 0,
    sensitiveInformationPolicyUnits: 0,
    sensitiveInformationPolicyFreeUnits: 0,
    contextualGroundingPolicyUnits: 0,
  };
  const answer = { usage, action: 'NONE', outputs: [], assessments: [], ...given } satisfies Omit<
    ApplyGuardrailCommandOutput,
    '$metadata'
  >;
  return { body: answer };
}

const PASSED = applied({});
const BLOCKED = applied({
  action: 'GUARDRAIL_INTERVENED',
  outputs: [{ text: 'This is not talked about.' }],
  assessments: [{ topicPolicy: { topics: [{ name: 'money', type: 'DENY', action: 'BLOCKED' }] } }],
});
const MASKED = applied({
  action: 'GUARDRAIL_INTERVENED',
  outputs: [{ text: 'Write to {EMAIL}.' }],
  assessments: [
    {
      sensitiveInformationPolicy: {
        piiEntities: [{ match: 'ann@example.com', type: 'EMAIL', action: 'ANONYMIZED' }],
        regexes: [],
      },
    },
  ],
});

async function send(replies: Reply[], model: Model, request: Partial<ModelRequest> = {}) {
  const started = await startModelServer(replies);
  server = started;
  const sources = { apiKey: () => undefined, baseUrl: () => started.url, fetch, scripted: () => model };
  const opened = await modelFor('scripted/x', sources);
  return opened.model.send({ ...ask('May I?'), guardrail: GUARDRAIL, ...request }, running);
}

const saying = (text: string) => {
  const asked: ModelRequest[] = [];
  const model: Model = {
    async send(request) {
      asked.push(request);
      return anAnswer({ text, usage: { inputTokens: 5, outputTokens: 2 } });
    },
  };
  return { asked, model };
};

describe('a guardrail for a model that is not on Bedrock', () => {
  test('looks at what it is asked and at what it says', async () => {
    const { model, asked } = saying('You may.');
    expect(await send([PASSED, PASSED], model)).toMatchObject({ text: 'You may.', stopReason: 'end' });
    expect(asked).toHaveLength(1);
    const bodies = server?.requests.map(({ path, body }) => ({ path, body }));
    const looked = (source: 'INPUT' | 'OUTPUT', text: string) => ({
      path: '/guardrail/abc/version/1/apply',
      body: { source, content: [{ text: { text } }] } satisfies Omit<
        ApplyGuardrailCommandInput,
        'guardrailIdentifier' | 'guardrailVersion'
      >,
    });
    expect(bodies).toEqual([looked('INPUT', 'May I?'), looked('OUTPUT', 'You may.')]);
  });

  test('keeps it from being asked, and says so', async () => {
    const { model, asked } = saying('You may.');
    expect(await send([BLOCKED], model)).toEqual({
      text: 'This is not talked about.',
      calls: [],
      stopReason: 'refusal',
      rawStopReason: 'guardrail_intervened',
      usage: { inputTokens: 0, outputTokens: 0 },
    });
    expect(asked).toEqual([]);
  });

  test('puts something in place of what it says, which is paid for', async () => {
    expect(await send([PASSED, BLOCKED], saying('Money!').model)).toEqual({
      text: 'This is not talked about.',
      calls: [],
      stopReason: 'refusal',
      rawStopReason: 'guardrail_intervened',
      usage: { inputTokens: 5, outputTokens: 2 },
    });
  });

  test('masks parts of what it says', async () => {
    const answer = await send([PASSED, MASKED], saying('Write to ann@example.com.').model);
    expect(answer).toMatchObject({ text: 'Write to {EMAIL}.', stopReason: 'end' });
  });

  test('that cannot be asked fails the call of the model, which is paid for', async () => {
    const refused: Reply = { status: 403, body: { message: 'no access' } };
    await expect(send([PASSED, refused], saying('You may.').model)).rejects.toMatchObject({
      category: 'auth',
      details: { spent: { inputTokens: 5, outputTokens: 2 } },
    });
  });

  test('is not asked where there is none', async () => {
    const { model } = saying('You may.');
    const { guardrail: _, ...request } = { ...ask('May I?'), guardrail: GUARDRAIL };
    const started = await startModelServer([]);
    server = started;
    const sources = { apiKey: () => undefined, baseUrl: () => started.url, fetch, scripted: () => model };
    const opened = await modelFor('scripted/x', sources);
    expect(await opened.model.send(request, running)).toMatchObject({ text: 'You may.' });
    expect(started.requests).toEqual([]);
  });
});

test('Bedrock holds its own models to a guardrail, and counts tokens without it', () => {
  const request = { ...ask('x', { model: 'amazon.nova-lite-v1:0' }), guardrail: GUARDRAIL };
  const config = { guardrailIdentifier: 'abc', guardrailVersion: '1' };
  expect(toRequest(request)).toMatchObject({
    guardrailConfig: config,
  } satisfies Partial<ConverseCommandInput>);
  expect(JSON.stringify(toCountRequest(request))).not.toContain('guardrail');
});
