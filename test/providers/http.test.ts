import { afterEach, describe, expect, it, vi } from 'vitest';
import { cooldown, retryDelay } from '../../src/core/turn/retry.ts';
import { createAnthropicModel } from '../../src/providers/anthropic/anthropic.ts';
import type { ApiAccess } from '../../src/providers/http.ts';
import type { Model } from '../../src/core/model/model.ts';
import { createOllamaModel } from '../../src/providers/ollama/ollama.ts';
import { createOpenAIModel } from '../../src/providers/openai/openai.ts';
import type { Message } from '../../src/core/records/message.ts';
import type { RetryPolicy } from '../../src/core/records/opened.ts';
import { startModelServer, type ModelServer, type Reply } from '../fixtures/model-server.ts';
import { ask, running } from './requests.ts';

const KEY = 'sk-secret-0123456789';

let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function faultOf(create: (access: ApiAccess) => Model, reply: Reply): Promise<unknown> {
  server = await startModelServer([reply]);
  return thrownBy(create({ baseUrl: server.url, apiKey: KEY, fetch }).send(ask('x'), running));
}

function thrownBy(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'nothing was thrown',
    (thrown: unknown) => thrown,
  );
}

const providers: [string, (access: ApiAccess) => Model][] = [
  ['Anthropic', createAnthropicModel],
  ['OpenAI', createOpenAIModel],
  ['Ollama', createOllamaModel],
];

const RETRIES: RetryPolicy = {
  maxRetries: 5,
  backoff: 'exponential',
  initialDelayMs: 500,
  maxDelayMs: 30_000,
};

describe.each(providers)('%s', (name, create) => {
  it.each([400, 401, 402, 403, 404, 413, 422])('is not asked again after status %i', async (status) => {
    const fault = await faultOf(create, { status, headers: { 'retry-after': '1' }, body: '' });
    expect(retryDelay(fault, RETRIES, 1, 0)).toBeUndefined();
  });

  it('is left alone by all runs after status 429', async () => {
    const fault = await faultOf(create, { status: 429, headers: { 'retry-after': '2.5' }, body: '' });
    const delay = retryDelay(fault, RETRIES, 1, 0) ?? 0;
    expect([delay, cooldown(fault, delay)]).toEqual([2500, 2500]);
  });

  it.each([
    ['', 'server: Bad Gateway'],
    ['<html>Bad</html>', 'server: Bad Gateway'],
    [{}, 'server: Bad Gateway'],
    [{ error: { message: '' } }, 'server: Bad Gateway'],
    [{ error: { type: 'x' } }, 'server: Bad Gateway'],
    [{ error: { message: 'x'.repeat(10_000) } }, `server: ${'x'.repeat(500)}…`],
  ])('without a message in %j falls back on the status text', async (body, message) => {
    expect(await faultOf(create, { status: 502, statusText: 'Bad Gateway', body })).toMatchObject({
      message,
    });
  });

  const extra = [
    { type: 'extra_forbidden', loc: ['body', 'reasoning_effort'], msg: 'Extra inputs are not permitted' },
    { type: 'missing', loc: ['body', 'messages', 0, 'content'], msg: 'Field required' },
  ];
  const told =
    'body.reasoning_effort: Extra inputs are not permitted; body.messages.0.content: Field required';
  it.each([
    [{ detail: 'Not today' }, 'Not today'],
    [{ detail: extra }, told],
    [{ object: 'error', message: { detail: extra }, type: 'invalid_request_error', code: null }, told],
    [{ object: 'Error', detail: extra, message: extra, code: 3001 }, told],
    [{ message: 'no credentials for the gateway', request_id: 'x' }, 'no credentials for the gateway'],
  ])('says what was refused as Mistral, vLLM and gateways put it: %j', async (body, message) => {
    const fault = await faultOf(create, { status: 422, statusText: 'Unprocessable Entity', body });
    expect(fault).toMatchObject({ message: `bad_request: ${message}` });
  });

  it('passes on how long it asks to be left alone, in seconds', async () => {
    const reply = { status: 429, headers: { 'retry-after': '2.5' }, body: '' };
    expect(await faultOf(create, reply)).toMatchObject({ details: { status: 429, retryAfterMs: 2500 } });
  });

  it('passes on how long it asks to be left alone, as a date', async () => {
    vi.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-01-01T00:00:00.500Z'));
    const headers = { 'retry-after': 'Thu, 01 Jan 2026 01:00:00 GMT' };
    const fault = await faultOf(create, { status: 503, headers, body: '' });
    expect(fault).toHaveProperty('details', { status: 503, retryAfterMs: 3_599_500 });
    const past = await faultOf(create, {
      status: 503,
      headers: { 'retry-after': new Date(0).toUTCString() },
      body: '',
    });
    expect(past).toMatchObject({ details: { status: 503, retryAfterMs: 0 } });
    const nonsense = await faultOf(create, { status: 503, headers: { 'retry-after': 'soon' }, body: '' });
    expect(nonsense).toHaveProperty('details', { status: 503 });
  });

  it.each(['', '{"content": [{"type"', 'not JSON', '[]', '"text"', 'null', '7'])(
    'cannot answer with %s',
    async (body) => {
      expect(await faultOf(create, { body })).toMatchObject({
        name: 'ModelError',
        category: 'server',
        message: expect.stringMatching(/^server: failed to parse response: \S/),
      });
    },
  );

  it.each([
    { content: [{ type: 'text' }], choices: [{}], message: 7 },
    { content: 'text', choices: 'text', message: 'text' },
    {
      content: [{ type: 'tool_use', id: 'a' }],
      choices: [{ message: { tool_calls: [{ function: 'f' }] } }],
      message: { tool_calls: [{ function: {} }] },
    },
  ])('cannot answer in a form of its own: %j', async (body) => {
    expect(await faultOf(create, { body })).toMatchObject({
      message: expect.stringMatching(/^server: failed to parse response: \S/),
    });
  });

  it('may answer with nothing but the error, as Mistral does', async () => {
    const body = { object: 'error', message: 'no such thing', type: 'invalid_request_error' };
    expect(await faultOf(create, { status: 400, body })).toMatchObject({
      message: 'bad_request: no such thing',
    });
  });

  it('may answer with a list of the error, as Gemini does, and say in words alone when to ask again', async () => {
    const message = 'You exceeded your current quota, please check your plan.\nPlease retry in 20.04466179s.';
    const body = [{ error: { code: 429, message, status: 'RESOURCE_EXHAUSTED' } }];
    expect(await faultOf(create, { status: 429, body })).toMatchObject({
      message: `rate_limit: ${message}`,
      details: { status: 429, retryAfterMs: 20_045 },
    });
  });

  it('is sent no half of a surrogate pair, which Anthropic takes for broken JSON', async () => {
    server = await startModelServer([]);
    const messages: Message[] = [
      { role: 'user', text: 'cut \ud83d' },
      {
        role: 'assistant',
        text: '\ude00 \\ud83d 😀',
        calls: [{ id: 'a', name: 'f', arguments: { '\ud83d': ['\ud83d'] } }],
      },
    ];
    await thrownBy(create({ baseUrl: server.url, apiKey: KEY, fetch }).send(ask('', { messages }), running));
    const sent = JSON.stringify(server.requests[0]?.body);
    expect(sent.replaceAll('\\\\', '')).not.toContain('\\ud');
    expect(sent).toContain('"cut \ufffd"');
    expect(sent).toContain('"\ufffd \\\\ud83d 😀"');
  });

  it('may stand in front of others, as OpenRouter does, and quotes what they say', async () => {
    const raw = '{"error":{"message":"prompt is too long: 208310 tokens > 200000 maximum"}}';
    const error = { message: 'Provider returned error', code: 400, metadata: { raw, provider_name: 'x' } };
    expect(await faultOf(create, { status: 400, body: { error } })).toMatchObject({
      message: `bad_request: Provider returned error: ${raw}`,
    });
    const odd = { ...error, metadata: { raw: { error: 'x' } } };
    expect(await faultOf(create, { status: 400, body: { error: odd } })).toMatchObject({
      message: 'bad_request: Provider returned error',
    });
  });

  it.each(['tool_use_failed', 'json_validate_failed'])(
    'is asked again where the model wrote what cannot be read, as Groq says with status 400 and %s',
    async (code) => {
      const error = { message: 'Failed to call a function.', type: 'invalid_request_error', code };
      const fault = await faultOf(create, { status: 400, body: { error } });
      expect(fault).toMatchObject({
        message: 'server: Failed to call a function.',
        details: { status: 400 },
      });
      expect(retryDelay(fault, RETRIES, 1, 0)).toBe(250);
    },
  );

  it('is of the class timeout where the deadline comes first', async () => {
    const deadline = new AbortController();
    server = await startModelServer(() => {
      deadline.abort(new DOMException('late', 'TimeoutError'));
      return 'silence';
    });
    const model = create({ baseUrl: server.url, apiKey: KEY, fetch });
    expect(await thrownBy(model.send(ask('x'), deadline.signal))).toMatchObject({
      name: 'ModelError',
      category: 'timeout',
      message: 'timeout: no answer before the deadline',
    });
  });

  it('is given up, for the reason given, when the run is stopped', async () => {
    const stop = new AbortController();
    const reason = new Error('stopped by the user');
    server = await startModelServer(() => {
      stop.abort(reason);
      return 'silence';
    });
    const model = create({ baseUrl: server.url, apiKey: KEY, fetch });
    expect(await thrownBy(model.send(ask('x'), stop.signal))).toBe(reason);
  });

  it('is given up in mid-answer too', async () => {
    const stop = new AbortController();
    const reason = new Error('stopped by the user');
    server = await startModelServer([{ beginning: '{"content"' }]);
    const begun = async (...asked: Parameters<typeof fetch>) => {
      const response = await fetch(...asked);
      setImmediate(() => stop.abort(reason));
      return response;
    };
    const model = create({ baseUrl: server.url, apiKey: KEY, fetch: begun });
    expect(await thrownBy(model.send(ask('x'), stop.signal))).toBe(reason);
  });

  it('is not asked at all by a run that was stopped', async () => {
    server = await startModelServer([]);
    const reason = new Error('stopped before');
    const model = create({ baseUrl: server.url, apiKey: KEY, fetch });
    expect(await thrownBy(model.send(ask('x'), AbortSignal.abort(reason)))).toBe(reason);
    expect(server.requests).toEqual([]);
  });

  it('may not be there', async () => {
    const { url, close } = await startModelServer([]);
    await close();
    const fault = await thrownBy(create({ baseUrl: url, apiKey: KEY, fetch }).send(ask('x'), running));
    expect(fault).toMatchObject({
      category: 'server',
      message:
        name === 'Ollama'
          ? `server: connection refused: is Ollama running? (expected at ${url})`
          : `server: no answer from ${url}: connect ECONNREFUSED ${url.slice('http://'.length)}`,
    });
  });
});

describe.each([
  ['Anthropic', createAnthropicModel],
  ['OpenAI', createOpenAIModel],
])("%s's key", (_, create) => {
  it.each<Reply>([
    { status: 401, body: { error: { message: `wrong key ${KEY} given` } } },
    { status: 200, body: { error: `wrong key ${KEY} given` } },
    { status: 401, statusText: `wrong key ${KEY} given`, body: '' },
    { status: 200, body: `${KEY} is not JSON` },
  ])('is in no error, even where the server quotes it: %j', async (reply) => {
    const fault = await faultOf(create, reply);
    expect(fault).toMatchObject({ name: 'ModelError', message: expect.stringContaining('[redacted]') });
    expect(everythingIn(fault)).not.toContain('secret');
  });

  it('is in no error where no header can carry it', async () => {
    server = await startModelServer([]);
    const model = create({ baseUrl: server.url, apiKey: `${KEY}\nsecond line`, fetch });
    const fault = await thrownBy(model.send(ask('x'), running));
    expect(fault).toMatchObject({
      category: 'auth',
      message: expect.stringContaining('an HTTP header cannot contain'),
    });
    expect(everythingIn(fault)).not.toContain('secret');
  });
});

function everythingIn(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault);
  return `${fault.stack} ${JSON.stringify(fault)} ${fault.cause === undefined ? '' : everythingIn(fault.cause)}`;
}
