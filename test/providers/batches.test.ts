import { describe, expect, onTestFinished, test } from 'vitest';
import type { BatchApi, BatchResult } from '../../src/core/model/batch-api.ts';
import type { ModelRequest } from '../../src/core/model/model.ts';
import { createPrices } from '../../src/core/spending/prices.ts';
import { defined } from '../../src/defined.ts';
import { createAnthropicBatches } from '../../src/providers/anthropic/batches.ts';
import type { ApiAccess } from '../../src/providers/http.ts';
import { createOpenAIBatches } from '../../src/providers/openai/batches.ts';
import { startBatchServer, type ArrivedBatch, type BatchServerOptions } from '../fixtures/batch-server.ts';
import { bodyOf, serveOnLoopback } from '../fixtures/loopback.ts';

/** The wires of batches, which all do the same for those above them. */

const KEY = 'a-key-of-ours';
const NOW = Date.parse('2030-01-01T00:00:00Z');
const signal = () => AbortSignal.timeout(20_000);
const idOf = (name: string) => name.repeat(40).slice(0, 40);

interface Wire {
  name: string;
  open(access: ApiAccess): BatchApi;
  model: string;
  /** Of OpenAI's, where it is not the model's own. */
  api?: 'responses';
  endpoint: string;
  /** An answer of 100 tokens to a prompt of 1,000. */
  answer: (text: string) => object;
}

const anthropic: Wire = {
  name: "Anthropic's Message Batches",
  open: createAnthropicBatches,
  model: 'claude-sonnet-4-5',
  endpoint: '/v1/messages',
  answer: (text) => ({
    id: 'm',
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1_000, output_tokens: 100 },
  }),
};
const openAI = { name: "OpenAI's Batch API", open: createOpenAIBatches };
const chat: Wire = {
  ...openAI,
  name: `${openAI.name} for chat completions`,
  model: 'gpt-4.1',
  endpoint: '/v1/chat/completions',
  answer: (text) => ({
    choices: [{ message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1_000, completion_tokens: 100 },
  }),
};
const responses: Wire = {
  ...openAI,
  name: `${openAI.name} for responses`,
  model: 'gpt-5.1',
  api: 'responses',
  endpoint: '/v1/responses',
  answer: (text) => ({
    status: 'completed',
    output: [
      { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] },
    ],
    usage: { input_tokens: 1_000, output_tokens: 100 },
  }),
};
const WIRES = [anthropic, chat, responses];

function requestTo(
  { model, api }: Pick<Wire, 'api' | 'model'>,
  more: Partial<ModelRequest> = {},
): ModelRequest {
  const messages: ModelRequest['messages'] = [{ role: 'user', text: 'go' }];
  return {
    model,
    ...defined({ api }),
    system: 'be brief',
    messages,
    tools: [],
    maxTokens: 500,
    service: 'batch',
    ...more,
  };
}

async function open(wire: Wire, options: Partial<BatchServerOptions> = {}) {
  const server = await startBatchServer({
    answer: () => ({ message: wire.answer('hello') }),
    now: () => NOW,
    ...options,
  });
  onTestFinished(() => server.close());
  const api = wire.open({ baseUrl: server.url, apiKey: KEY, fetch });
  const create = async (name: string, ...ids: string[]) => {
    const { endpoint, body } = await api.toBody(requestTo(wire));
    return api.create({ name, endpoint, requests: ids.map((id) => ({ id: idOf(id), body })) }, signal());
  };
  const results = async (batch: string) => {
    const found: { id: string; result: BatchResult }[] = [];
    for await (const each of api.results(batch, signal())) found.push(each);
    return new Map(found.map(({ id, result }) => [id.slice(0, 1), result]));
  };
  return { server, api, create, results };
}

describe.each(WIRES)('$name', (wire) => {
  test('sends each request with its id, in the form in which it would be asked alone', async () => {
    const { server, api, create } = await open(wire);
    const batch = await create('bucket-0', 'a', 'b');
    const { endpoint, body } = await api.toBody(requestTo(wire));
    expect(endpoint).toBe(wire.endpoint);
    expect(server.batches).toEqual([
      {
        id: batch,
        createdAt: NOW,
        isCancelled: false,
        requests: ['a', 'b'].map((id) => ({ id: idOf(id), params: JSON.parse(body) })),
        ...(wire === anthropic ? {} : { bucket: 'bucket-0' }),
      },
    ]);
    // What is said to be streamed cannot be in a batch.
    expect(JSON.parse(body)).not.toHaveProperty('stream');
  });

  test('is over when its provider says so', async () => {
    let isOver = false;
    const { api, create } = await open(wire, { isOver: () => isOver });
    const batch = await create('bucket-0', 'a');
    expect(await api.isOver(batch, signal())).toBe(false);
    isOver = true;
    expect(await api.isOver(batch, signal())).toBe(true);
    await expect(api.isOver('batch_9', signal())).rejects.toMatchObject({ details: { status: 404 } });
  });

  test('has a result for each request: an answer, a fault of its API, or that it was not carried out', async () => {
    const fates = {
      a: { message: wire.answer('hello') },
      b: { error: { type: 'overloaded_error', message: 'busy' } },
      c: 'expired',
      d: 'canceled',
      e: { error: { type: 'invalid_request_error', message: 'no such beta' } },
    } as const;
    let next = 0;
    const { create, results } = await open(wire, {
      answer: (_, batch) => {
        const names = ['a', 'b', 'c', 'd', 'e'] as const;
        return fates[names[next++ % (batch?.requests.length ?? 1)] ?? 'a'];
      },
    });
    const batch = await create('bucket-0', 'a', 'b', 'c', 'd', 'e');
    expect(await results(batch)).toEqual(
      new Map<string, BatchResult>([
        ['a', { answered: JSON.parse(JSON.stringify(fates.a.message)) }],
        ['b', { failed: { category: 'overloaded', message: 'busy' } }],
        ['c', { expired: true }],
        ['d', { expired: true }],
        ['e', { failed: { category: 'bad_request', message: 'no such beta' } }],
      ]),
    );
  });

  test('is cancelled, with what was answered before; one that is over is left alone', async () => {
    const { server, api, create, results } = await open(wire, { isOver: ({ id }) => id !== 'batch_1' });
    const batch = await create('bucket-0', 'a');
    await api.cancel(batch, signal());
    expect(server.batches[0]?.isCancelled).toBe(true);
    expect(await api.isOver(batch, signal())).toBe(true);
    expect(await results(batch)).toEqual(new Map([['a', { expired: true }]]));
    const other = await create('bucket-1', 'b');
    await api.cancel(other, signal());
    expect(server.batches[1]?.isCancelled).toBe(false);
    expect([...(await results(other)).keys()]).toEqual(['b']);
  });

  test('is found again behind a hundred others, and one that was created before is not', async () => {
    const { server, api, create } = await open(wire, { now: () => now });
    let now = NOW - 60_000;
    await create('bucket-0', 'a', 'b');
    now = NOW;
    const batch = await create('bucket-0', 'a', 'b');
    const other: ArrivedBatch = {
      id: 'x',
      createdAt: NOW,
      bucket: 'other',
      requests: [],
      isCancelled: false,
    };
    for (let index = 0; index < 150; index++) server.batches.push({ ...other, id: `other_${index}` });
    const find = (name: string, requests: number) => api.find({ name, requests, since: NOW }, signal());
    expect(await find('bucket-0', 2)).toEqual([batch]);
    expect(await find('bucket-1', 3)).toEqual([]);
    const lists = server.calls.filter((call) => /^GET .*\/batches$/.test(call));
    expect(lists).toHaveLength(4);
  });

  test('an answer is read as one that was asked alone, at half the price', async () => {
    const { api, create, results } = await open(wire);
    const given = (await results(await create('bucket-0', 'a'))).get('a');
    const answered = given !== undefined && 'answered' in given ? given.answered : {};
    const usage = { inputTokens: 1_000, outputTokens: 100, service: 'batch' as const };
    expect(api.toAnswer(requestTo(wire), wire.endpoint, answered)).toMatchObject({
      text: 'hello',
      calls: [],
      stopReason: 'end',
      usage,
    });
    expect(api.spentOn(wire.endpoint, answered)).toMatchObject(usage);
    const { costOf } = createPrices();
    const name = `${wire === anthropic ? 'anthropic' : 'openai'}/${wire.model}`;
    const alone = costOf(name, { inputTokens: 1_000, outputTokens: 100 }) ?? NaN;
    expect(costOf(name, usage)).toBe(alone / 2);
    expect(() => api.toAnswer(requestTo(wire), wire.endpoint, {})).toThrow(/^server: /);
  });

  test('a refusal is told without the key, which is in the headers alone', async () => {
    const { server, create } = await open(wire, { creating: () => ({ status: 400 }) });
    const thrown: unknown = await create('bucket-0', 'a').catch((error: unknown) => error);
    expect(thrown).toMatchObject({ category: 'bad_request', details: { status: 400 } });
    expect(String(thrown)).not.toContain(KEY);
    expect(JSON.stringify(server.headers())).toContain(KEY);
    expect(server.calls.join()).not.toContain(KEY);
  });

  test('an account is known by its address and key, and shows neither', () => {
    const accountOf = (baseUrl: string, apiKey: string) => wire.open({ baseUrl, apiKey, fetch }).account;
    const accounts = [accountOf('http://a', 'x'), accountOf('http://b', 'x'), accountOf('http://a', 'y')];
    expect(new Set(accounts).size).toBe(3);
    expect(accounts[0]).toBe(accountOf('http://a', 'x'));
    expect(accounts.join()).toMatch(/^[0-9a-f]{16}(,[0-9a-f]{16}){2}$/);
  });
});

describe("OpenAI's Batch API", () => {
  test('takes a file of requests, and has a day for them', async () => {
    const sent: { path: string; body: string }[] = [];
    const { endpoint: baseUrl, close } = await serveOnLoopback((request, response) => {
      void bodyOf(request).then((body) => {
        sent.push({ path: request.url ?? '', body: body.toString() });
        response.end(JSON.stringify({ id: `id-${sent.length}`, status: 'validating', created_at: 1 }));
      });
    });
    onTestFinished(close);
    const api = createOpenAIBatches({ baseUrl, apiKey: KEY, fetch });
    const { endpoint, body } = await api.toBody(requestTo(responses));
    expect(await api.create({ name: 'bucket-0', endpoint, requests: [{ id: 'a', body }] }, signal())).toBe(
      'id-2',
    );
    const [upload, creation] = sent;
    expect(upload?.path).toBe('/v1/files');
    const [boundary = ''] = upload?.body.split('\r\n') ?? [];
    expect(upload?.body.split(boundary).map((part) => part.trim())).toEqual([
      '',
      'Content-Disposition: form-data; name="purpose"\r\n\r\nbatch',
      `Content-Disposition: form-data; name="file"; filename="bucket-0.jsonl"\r\nContent-Type: application/jsonl\r\n\r\n{"custom_id":"a","method":"POST","url":"/v1/responses","body":${body}}`,
      '--',
    ]);
    expect({ ...creation, body: JSON.parse(creation?.body ?? '') }).toEqual({
      path: '/v1/batches',
      body: {
        input_file_id: 'id-1',
        endpoint: '/v1/responses',
        completion_window: '24h',
        metadata: { bucket: 'bucket-0' },
      },
    });
  });

  test.each([
    ['validating', false],
    ['in_progress', false],
    ['finalizing', false],
    ['cancelling', false],
    ['completed', true],
    ['failed', true],
    ['expired', true],
    ['cancelled', true],
  ] as const)('a batch that is %s is over: %s', async (status, isOver) => {
    const { api, create } = await open(chat, { status: () => status });
    expect(await api.isOver(await create('bucket-0', 'a'), signal())).toBe(isOver);
  });

  test('one that failed has no results, and one that expired those that it came to', async () => {
    let next = 0;
    const { create, results } = await open(chat, {
      status: ({ id }) => (id === 'batch_1' ? 'failed' : 'expired'),
      answer: () => (next++ % 2 === 0 ? { message: chat.answer('in time') } : 'expired'),
    });
    expect(await results(await create('bucket-0', 'a'))).toEqual(new Map());
    next = 0;
    const partial = await results(await create('bucket-1', 'a', 'b'));
    expect(partial.get('a')).toMatchObject({ answered: chat.answer('in time') });
    expect(partial.get('b')).toEqual({ expired: true });
  });
});

describe("Anthropic's Message Batches", () => {
  const markedIn = async (answers: number) => {
    const messages: ModelRequest['messages'] = [{ role: 'user', text: 'go' }];
    for (let index = 0; index < answers; index++)
      messages.push({ role: 'assistant', text: 'yes', calls: [] }, { role: 'user', text: 'and?' });
    const tools = [{ name: 't', description: 'd', parameters: { type: 'object' as const, properties: {} } }];
    const api = createAnthropicBatches({ baseUrl: 'http://any', apiKey: KEY, fetch });
    const { body } = await api.toBody(requestTo(anthropic, { messages, tools }));
    const given = JSON.parse(body);
    const count = (part: unknown) => JSON.stringify(part).split('{"type":"ephemeral","ttl":"1h"}').length - 1;
    return { system: count(given.system), messages: count(given.messages) };
  };

  test('ask for a cache of an hour for what all runs share, and for a conversation once it has gone on', async () => {
    expect(await markedIn(0)).toEqual({ system: 1, messages: 0 });
    expect(await markedIn(1)).toEqual({ system: 1, messages: 0 });
    expect(await markedIn(2)).toEqual({ system: 1, messages: 2 });
  });

  test('have no answer where it paused among its searches, and are paid for it: the model is asked alone', () => {
    const api = createAnthropicBatches({ baseUrl: 'http://any', apiKey: KEY, fetch });
    const answered = {
      content: [{ type: 'text', text: 'I look.' }],
      stop_reason: 'pause_turn',
      usage: { input_tokens: 1_000, output_tokens: 100 },
    };
    expect(() => api.toAnswer(requestTo(anthropic), anthropic.endpoint, answered)).toThrow(
      expect.objectContaining({
        category: 'bad_request',
        details: { spent: expect.objectContaining({ outputTokens: 100, service: 'batch' }) },
      }),
    );
  });
});
