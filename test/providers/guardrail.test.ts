import { beforeEach, afterEach, describe, expect, test, vi } from 'vitest';
import type {
  ApplyGuardrailCommandInput,
  ApplyGuardrailCommandOutput,
  ConverseCommandInput,
  ConverseCommandOutput,
  GuardrailAssessment,
} from '@aws-sdk/client-bedrock-runtime';
import type { Model, ModelRequest } from '../../src/core/model/model.ts';
import { modelFor } from '../../src/places/models/registry.ts';
import { createAssembly } from '../../src/providers/bedrock/assembly.ts';
import { fromResponse } from '../../src/providers/bedrock/from-response.ts';
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

/** An answer of Converse that a guardrail had a part in; the types are the SDK's. */
const conversed = (text: string, outputs: GuardrailAssessment[]) =>
  ({
    output: { message: { role: 'assistant', content: [{ text }] } },
    stopReason: 'guardrail_intervened',
    usage: { inputTokens: 5, outputTokens: 2, totalTokens: 7 },
    trace: { guardrail: { outputAssessments: { abc: outputs } } },
  }) satisfies Partial<ConverseCommandOutput>;

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

  test('blocks where it would mask what the model is to read, which is shown to nobody', async () => {
    const { model, asked } = saying('You may.');
    expect(await send([MASKED], model)).toMatchObject({
      text: 'The guardrail would mask a part of what the model was to read, which cannot be done here.',
      stopReason: 'refusal',
      rawStopReason: 'guardrail_intervened',
    });
    expect(asked).toEqual([]);
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
  const config = { guardrailIdentifier: 'abc', guardrailVersion: '1', trace: 'enabled' as const };
  expect(toRequest(request)).toMatchObject({
    guardrailConfig: config,
  } satisfies Partial<ConverseCommandInput>);
  expect(JSON.stringify(toCountRequest(request))).not.toContain('guardrail');
});

describe('what a guardrail of a model on Bedrock did', () => {
  const email = { match: 'ann@example.com', type: 'EMAIL' } as const;
  const masked: GuardrailAssessment = {
    sensitiveInformationPolicy: { piiEntities: [{ ...email, action: 'ANONYMIZED' }], regexes: [] },
  };
  const clean: GuardrailAssessment = { contentPolicy: { filters: [] } };
  // A word of the answer is no action.
  const blocked: GuardrailAssessment = {
    wordPolicy: { customWords: [{ match: 'ANONYMIZED', action: 'BLOCKED' }], managedWordLists: [] },
  };
  test.each([
    ['masks', [clean, masked], 'end'],
    ['blocks', [blocked], 'refusal'],
    ['masks and blocks', [masked, blocked], 'refusal'],
    ['does not say', [], 'refusal'],
  ] as const)('is read of its trace: it %s', (_, assessments, stopReason) => {
    const answer = conversed('Write to {EMAIL}.', [...assessments]);
    expect(fromResponse(ask('x', { model: 'amazon.nova-lite-v1:0' }), answer)).toMatchObject({
      text: 'Write to {EMAIL}.',
      stopReason,
      rawStopReason: 'guardrail_intervened',
    });
    const assembly = createAssembly();
    assembly.add({ contentBlockDelta: { contentBlockIndex: 0, delta: { text: 'Write to {EMAIL}.' } } });
    assembly.add({ messageStop: { stopReason: answer.stopReason } });
    assembly.add({ metadata: { usage: answer.usage, trace: answer.trace } });
    expect(fromResponse(ask('x', { model: 'amazon.nova-lite-v1:0' }), assembly.answer())).toMatchObject({
      stopReason,
    });
  });

  test('is left to Bedrock, but for the results of the newest calls', async () => {
    const started = await startModelServer([PASSED, { body: conversed('Done.', []) }]);
    server = started;
    const sources = {
      apiKey: () => undefined,
      baseUrl: () => started.url,
      fetch,
      scripted: () => saying('').model,
    };
    const { model } = await modelFor('bedrock/amazon.nova-lite-v1:0', sources);
    const call = (id: string) => ({ id, name: 'look', arguments: {} });
    const result = (callId: string, text: string) => ({ callId, name: 'look', text, isError: false });
    await model.send(
      {
        ...ask('May I?', { model: 'amazon.nova-lite-v1:0' }),
        messages: [
          { role: 'user', text: 'May I?' },
          { role: 'assistant', text: '', calls: [call('one')] },
          { role: 'tool', results: [result('one', 'an old page')] },
          { role: 'assistant', text: '', calls: [call('two')] },
          { role: 'tool', results: [result('two', 'a new page')] },
          { role: 'user', text: 'Hurry.' },
        ],
        guardrail: GUARDRAIL,
        stream: false,
      },
      running,
    );
    expect(started.requests.map(({ path }) => path)).toEqual([
      '/guardrail/abc/version/1/apply',
      '/model/amazon.nova-lite-v1%3A0/converse',
    ]);
    expect(started.requests[0]?.body).toEqual({
      source: 'INPUT',
      content: [{ text: { text: 'a new page' } }],
    });
  });
});
