import type { ConverseCommandInput, ConverseCommandOutput } from '@aws-sdk/client-bedrock-runtime';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toRequest } from '../../src/providers/bedrock/to-request.ts';
import { createOfflineModel } from '../../src/providers/offline/offline.ts';
import { modelFor } from '../../src/places/models/registry.ts';
import type { ModelRequest } from '../../src/core/model/model.ts';
import { startModelServer, type ModelServer, type Reply } from '../fixtures/model-server.ts';
import { stubBedrockAccount } from '../fixtures/stub-bedrock-account.ts';
import { ask, callAgent, conversation, running } from './requests.ts';

const CLAUDE = 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0';

beforeEach(stubBedrockAccount);

let server: ModelServer | undefined;
afterEach(async () => {
  vi.unstubAllEnvs();
  await server?.close();
  server = undefined;
});

async function send(request: ModelRequest, reply: Reply, signal = running) {
  server = await startModelServer([reply]);
  return (await modelAt(server.url, request.model)).send(request, signal);
}

async function modelAt(url: string, name = CLAUDE) {
  const sources = { apiKey: () => undefined, baseUrl: () => url, fetch, scripted: createOfflineModel };
  return (await modelFor(`bedrock/${name}`, sources)).model;
}

async function faultOf(reply: Reply): Promise<unknown> {
  return thrownBy(send(ask('x', { model: CLAUDE }), reply));
}

function thrownBy(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'nothing was thrown',
    (thrown: unknown) => thrown,
  );
}

/** An answer as Converse gives it; the type is the SDK's, so that it cannot part from it. */
const published = {
  output: { message: { role: 'assistant', content: [{ text: 'Done.' }] } },
  stopReason: 'end_turn',
  usage: { inputTokens: 12, outputTokens: 3, totalTokens: 15 },
  metrics: { latencyMs: 7 },
} satisfies Omit<ConverseCommandOutput, '$metadata'>;

describe('a request to Bedrock', () => {
  it('is a signed POST for its model, with the least that the API takes', async () => {
    await send(ask('Hello', { model: CLAUDE }), { body: published });
    expect(server?.requests).toEqual([
      {
        method: 'POST',
        path: '/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream',
        headers: {
          'amz-sdk-invocation-id': expect.any(String),
          'amz-sdk-request': 'attempt=1; max=1',
          authorization: expect.stringMatching(
            /^AWS4-HMAC-SHA256 Credential=AKIDTEST\/\d{8}\/eu-central-1\/bedrock\/aws4_request, SignedHeaders=\S+, Signature=[0-9a-f]{64}$/,
          ),
          'content-type': 'application/json',
          'x-amz-content-sha256': expect.stringMatching(/^[0-9a-f]{64}$/),
          'x-amz-date': expect.stringMatching(/^\d{8}T\d{6}Z$/),
          'x-amz-user-agent': expect.stringContaining('aws-sdk-js'),
        },
        body: { messages: [{ role: 'user', content: [{ text: 'Hello' }] }] },
      },
    ]);
  });

  it('names inference profiles by their ARN, slashes, colons and all', async () => {
    const arn = 'arn:aws:bedrock:eu-central-1:123456789012:application-inference-profile/abc123';
    await send(ask('x', { model: arn }), { body: published });
    expect(server?.requests[0]?.path).toBe(`/model/${encodeURIComponent(arn)}/converse-stream`);
  });

  it('carries system, parameters, tools, calls and, in one user message directly after them, results', async () => {
    await send({ ...conversation, model: CLAUDE }, { body: published });
    const input: Omit<ConverseCommandInput, 'modelId'> = {
      system: [{ text: 'You are terse.' }, { cachePoint: { type: 'default' } }],
      inferenceConfig: { temperature: 0.5, maxTokens: 100 },
      toolConfig: {
        tools: [
          {
            toolSpec: {
              name: 'call_agent',
              description: 'Delegate a task',
              inputSchema: { json: JSON.parse(JSON.stringify(callAgent.parameters)) },
            },
          },
        ],
      },
      messages: [
        { role: 'user', content: [{ text: 'Begin.' }] },
        {
          role: 'assistant',
          content: [
            { text: 'I ask both.' },
            {
              toolUse: {
                toolUseId: 'one',
                name: 'call_agent',
                input: { agent: 'ada', task: 'count', depth: 2 },
              },
            },
            { toolUse: { toolUseId: 'two', name: 'call_agent', input: {} } },
          ],
        },
        {
          role: 'user',
          content: [
            { toolResult: { toolUseId: 'one', content: [{ text: '42' }], status: 'success' } },
            {
              toolResult: {
                toolUseId: 'two',
                content: [{ text: 'call_agent error: "agent" argument is required' }],
                status: 'error',
              },
            },
            // The answer in between held nothing, which the API would refuse.
            { text: 'Go on.' },
            { cachePoint: { type: 'default' } },
          ],
        },
        {
          role: 'assistant',
          content: [{ toolUse: { toolUseId: 'one_2', name: 'call_agent', input: { agent: 'bob' } } }],
        },
        {
          role: 'user',
          content: [
            { toolResult: { toolUseId: 'one_2', content: [{ text: '43' }], status: 'success' } },
            { cachePoint: { type: 'default' } },
          ],
        },
      ],
    };
    expect(server?.requests.map(({ body }) => body)).toEqual([input]);
  });

  it('leaves the status of results out for models that refuse it', () => {
    const { messages = [] } = toRequest({ ...conversation, model: 'meta.llama3-1-70b-instruct-v1:0' });
    expect(messages[2]?.content?.[0]).toEqual({
      toolResult: { toolUseId: 'one', content: [{ text: '42' }] },
    });
  });

  it.each([
    ['anthropic.claude-opus-4-6-v1', true],
    ['global.anthropic.claude-haiku-4-5-20251001-v1:0', true],
    ['us.anthropic.claude-3-7-sonnet-20250219-v1:0', true],
    ['us.amazon.nova-lite-v1:0', true],
    ['anthropic.claude-3-haiku-20240307-v1:0', false],
    ['anthropic.claude-v2:1', false],
    ['us.amazon.nova-2-lite-v1:0', false],
    ['meta.llama3-1-70b-instruct-v1:0', false],
  ])('has cache points for %s: %s, which refuses them where it knows none', (model, expected) => {
    const { system, messages } = toRequest({ ...conversation, model });
    expect([system, messages].map((part) => JSON.stringify(part).includes('cachePoint'))).toEqual([
      expected,
      expected,
    ]);
  });

  it('names the tools of a conversation that holds calls, even where none is on offer', () => {
    const { toolConfig } = toRequest({ ...conversation, tools: [] });
    expect(toolConfig).toEqual({
      tools: [{ toolSpec: { name: 'call_agent', inputSchema: { json: { type: 'object' } } } }],
    });
  });

  it('has no description where a tool has none, since an empty one is refused', () => {
    const { toolConfig } = toRequest(ask('', { tools: [{ ...callAgent, description: ' ' }] }));
    expect(toolConfig?.tools?.[0]?.toolSpec).toEqual({
      name: 'call_agent',
      inputSchema: { json: callAgent.parameters },
    });
  });

  it('has ids and names of the characters and the length that the API takes', () => {
    const calls = [{ id: `call:${'é'.repeat(100)}`, name: 'a tool', arguments: {} }];
    const { messages } = toRequest(ask('x', { messages: [{ role: 'assistant', text: ' ', calls }] }));
    expect(messages?.[0]).toEqual({
      role: 'assistant',
      content: [{ toolUse: { toolUseId: `call_${'_'.repeat(55)}`, name: 'a_tool', input: {} } }],
    });
  });
});

describe('an answer of Bedrock', () => {
  it('has no arguments where they are nested deeper than the SDK can read', async () => {
    const content = [{ toolUse: { toolUseId: 'a', name: 'f', input: { a: '@' } } }];
    const text = JSON.stringify({ ...published, output: { message: { role: 'assistant', content } } });
    const body = text.replace('"@"', '['.repeat(50_000) + ']'.repeat(50_000));
    expect(await send(ask('x', { model: CLAUDE }), { body })).toMatchObject({
      calls: [{ id: 'a', name: 'f', arguments: {} }],
      usage: { inputTokens: 12, outputTokens: 3 },
    });
  });
});

describe('a fault of Bedrock', () => {
  it.each([
    '',
    'not JSON',
    '{"output": {"mess',
    'null',
    '{"output": {"message": {"content": "text"}}}',
    '{"output": {"message": {"content": [{"text": {}}]}}}',
    '{"output": {"message": {"content": [{"toolUse": {"name": 7}}]}}}',
    '{"output": {"message": {"content": [null]}}}',
  ])('is an answer of %j', async (body) => {
    expect(await faultOf({ body })).toMatchObject({
      name: 'ModelError',
      category: 'server',
      message: expect.stringMatching(/^server: (failed to parse response: .+|response contains no content)$/),
    });
  });

  it('is a place where nothing listens', async () => {
    const { url, close } = await startModelServer([]);
    await close();
    expect(await thrownBy((await modelAt(url)).send(ask('x', { model: CLAUDE }), running))).toMatchObject({
      message: `server: no answer from ${url}: connect ECONNREFUSED ${url.slice('http://'.length)}`,
    });
  });

  it('is of the class timeout where the deadline comes first', async () => {
    const deadline = new AbortController();
    server = await startModelServer(() => {
      deadline.abort(new DOMException('late', 'TimeoutError'));
      return 'silence';
    });
    const sent = (await modelAt(server.url)).send(ask('x', { model: CLAUDE }), deadline.signal);
    expect(await thrownBy(sent)).toMatchObject({ message: 'timeout: no answer before the deadline' });
  });

  it('is none where the run is stopped, before or while it waits', async () => {
    const reason = new Error('stopped by the user');
    const stop = new AbortController();
    server = await startModelServer(() => {
      stop.abort(reason);
      return 'silence';
    });
    const model = await modelAt(server.url);
    expect(await thrownBy(model.send(ask('x', { model: CLAUDE }), stop.signal))).toBe(reason);
    expect(await thrownBy(model.send(ask('x', { model: CLAUDE }), stop.signal))).toBe(reason);
    expect(server.requests).toHaveLength(1);
  });

  it('is to have no credentials, and says what to set', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', undefined);
    expect(await faultOf({ body: published })).toMatchObject({
      name: 'ModelError',
      category: 'auth',
      message: expect.stringMatching(
        /^auth: no AWS credentials for provider "bedrock" \(set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY\): /,
      ),
    });
    expect(server?.requests).toEqual([]);
  });

  it('is to have no Region, and says what to set', async () => {
    vi.stubEnv('AWS_REGION', undefined);
    expect(await faultOf({ body: published })).toMatchObject({
      name: 'ConfigError',
      message: 'AWS region for provider "bedrock" is not configured (set AWS_REGION)',
    });
  });
});
