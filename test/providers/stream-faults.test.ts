import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { ModelError } from '../../src/errors.ts';
import type { Model } from '../../src/core/model/model.ts';
import { createOfflineModel } from '../../src/providers/offline/offline.ts';
import { modelFor } from '../../src/places/models/registry.ts';
import { startModelServer, type Reply } from '../fixtures/model-server.ts';
import { ask, running } from './requests.ts';
import { SPEECHES, type Speech } from './streams.ts';
import { modelAt, stubAws, WIRES, type Wire } from './wires.ts';

const BOTH = Object.entries(WIRES).map(([name, wire]): [string, Wire, Speech] => {
  const speech = SPEECHES[name];
  if (speech === undefined) throw new Error(`no stream is written for ${name}`);
  return [name, wire, speech];
});

afterEach(() => void vi.useRealTimers());

async function faultOf(wire: Wire, reply: Reply, silenceMs?: number, signal = running): Promise<unknown> {
  stubAws();
  const server = await startModelServer([reply]);
  onTestFinished(() => server.close());
  const { model, name } = await modelFor(wire.model, {
    apiKey: () => 'sk-secret-0123456789',
    baseUrl: () => server.url,
    settings: () => ({ silenceMs }),
    fetch,
    scripted: createOfflineModel,
  });
  return model
    .send(ask('Begin.', { model: name, ...wire.request }), signal)
    .catch((thrown: unknown) => (thrown instanceof ModelError ? withoutPlace(thrown, server.url) : thrown));
}

function withoutPlace({ category, message, details }: ModelError, url: string) {
  return { category, message: message.replaceAll(url, 'URL'), spent: details.spent };
}

/** What is known of an answer that said "Hello there, you", or may have, when it was cut: Anthropic counts the prompt first. */
function spentBy(name: string): unknown {
  if (name !== 'anthropic') return 'unknown';
  return { inputTokens: 900, outputTokens: 4, cacheReadTokens: 200, cacheWriteTokens: 0 };
}

describe.each(BOTH)('a stream of %s', (name, wire, speech) => {
  const beginning = speech.ofParts(speech.beginning);

  test('that is cut off is an error of the server, with the tokens that are known', async () => {
    const fault = await faultOf(wire, { ...beginning, next: Promise.resolve('cut') });
    expect(fault).toEqual({
      category: 'server',
      message: expect.stringMatching(/^server: connection to URL lost in mid-answer: \S/),
      spent: spentBy(name),
    });
  });

  test('that ends too early is an error of the server, with the tokens that are known', async () => {
    const fault = await faultOf(wire, { ...beginning, next: Promise.resolve(new Uint8Array()) });
    expect(fault).toEqual({
      category: 'server',
      message: 'server: stream from URL ended in mid-answer',
      spent: spentBy(name),
    });
  });

  test('that falls silent is given up, with the tokens that are known', async () => {
    const fault = await faultOf(wire, { ...beginning, next: new Promise(() => {}) }, 100);
    expect(fault).toEqual({
      category: 'timeout',
      message: 'timeout: no sign of life from URL for 0.1 s',
      spent: spentBy(name),
    });
  });

  test('that does not begin is given up', async () => {
    expect(await faultOf(wire, 'silence', 100)).toMatchObject({
      message: 'timeout: no sign of life from URL for 0.1 s',
    });
  });

  test('is given up at the deadline, and for the reason given where the run is stopped', async () => {
    const late = new AbortController();
    const stopped = new AbortController();
    const reason = new Error('stopped by the user');
    const endIn = (controller: AbortController, cause: unknown): Reply => ({
      ...beginning,
      next: new Promise(() => setTimeout(() => controller.abort(cause), 20)),
    });
    expect(
      await faultOf(wire, endIn(late, new DOMException('late', 'TimeoutError')), undefined, late.signal),
    ).toMatchObject({ message: 'timeout: no answer before the deadline' });
    expect(await faultOf(wire, endIn(stopped, reason), undefined, stopped.signal)).toBe(reason);
  });

  test('is waited for as long as it shows signs of life', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const parts = speech.stream({ thought: '', text: 'Done.', calls: [], pieceLength: 2 }).bytes;
    let at = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          // Together ten times as long as any server may be silent.
          await vi.advanceTimersByTimeAsync(100_000);
          const length = Math.ceil(parts.length / 12);
          controller.enqueue(parts.slice(at, (at += length)));
          if (at >= parts.length) controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const headers = {
      'content-type': speech.stream({ thought: '', text: '', calls: [], pieceLength: 1 }).contentType,
    };
    stubAws();
    const { model } = await modelFor(wire.model, {
      apiKey: () => 'a-key',
      baseUrl: () => 'http://models.test',
      fetch: () => Promise.resolve(new Response(body, { headers })),
      settings: () => ({ silenceMs: name === 'bedrock' ? 700_000 : 120_000 }),
      scripted: createOfflineModel,
    });
    expect((await model.send(ask('Begin.', wire.request), running)).text).toBe('Done.');
  });

  test('is not asked for where an agent wants none', async () => {
    const server = await startModelServer([{ body: wire.plain }]);
    onTestFinished(() => server.close());
    const { model, name: modelName } = await modelAt(server.url, wire);
    const request = ask('Begin.', { model: modelName, ...wire.request, stream: false });
    expect((await model.send(request, running)).text).toBe('Done.');
    const [sent] = server.requests;
    const { stream = false, ...body } = Object(sent?.body);
    expect({ stream, body, path: sent?.path.replace(/.*\/converse/, '/converse') }).toMatchObject({
      stream: false,
      body: expect.not.objectContaining({ stream_options: expect.anything() }),
      ...(name === 'bedrock' && { path: '/converse' }),
    });
  });
});

/** What APIs report in mid-stream, and its class. */
const REPORTED: Record<string, [object, string][]> = {
  anthropic: [
    [anthropicError('overloaded_error'), 'overloaded'],
    [anthropicError('rate_limit_error'), 'rate_limit'],
    [anthropicError('api_error'), 'server'],
    [anthropicError('timeout_error'), 'timeout'],
    [anthropicError('authentication_error'), 'auth'],
    [anthropicError('invalid_request_error'), 'bad_request'],
    [anthropicError('something_new'), 'server'],
  ],
  bedrock: [
    [{ throttlingException: { message: 'no such thing' } }, 'rate_limit'],
    [{ validationException: { message: 'no such thing' } }, 'bad_request'],
    [{ internalServerException: { message: 'no such thing' } }, 'server'],
    [{ modelStreamErrorException: { message: 'no such thing' } }, 'server'],
    [{ serviceUnavailableException: { message: 'no such thing' } }, 'server'],
  ],
  ollama: [[{ error: 'no such thing' }, 'server']],
  'openai chat': [
    [{ error: { message: 'no such thing', type: 'server_error', code: null } }, 'server'],
    [{ error: { message: 'no such thing', type: 'tokens', code: 'rate_limit_exceeded' } }, 'rate_limit'],
    [{ error: { message: 'no such thing', type: 'invalid_request_error', code: 'x' } }, 'bad_request'],
    // As OpenRouter has it.
    [{ error: { message: 'no such thing', code: 429 }, choices: [] }, 'rate_limit'],
    [{ error: { message: 'no such thing', code: 502 } }, 'server'],
  ],
  'openai responses': [
    [{ type: 'error', code: 'server_error', message: 'no such thing' }, 'server'],
    [{ type: 'error', code: 'rate_limit_exceeded', message: 'no such thing' }, 'rate_limit'],
    [
      {
        type: 'response.failed',
        response: {
          status: 'failed',
          output: [],
          error: { code: 'invalid_prompt', message: 'no such thing' },
        },
      },
      'bad_request',
    ],
  ],
};

function anthropicError(type: string): object {
  return { type: 'error', error: { type, message: 'no such thing' } };
}

test.each(
  BOTH.flatMap(([name, wire, speech]) =>
    (REPORTED[name] ?? []).map(([part, category]) => ({ name, wire, speech, part, category })),
  ),
)('$name reports $part in mid-stream, which is of the class $category', async (reported) => {
  const { name, wire, speech, part, category } = reported;
  expect(
    await faultOf(wire, {
      ...speech.ofParts([...speech.beginning, part]),
      next: Promise.resolve(new Uint8Array()),
    }),
  ).toEqual({
    category,
    message: `${category}: no such thing`,
    spent: spentBy(name),
  });
});

test('a key that is quoted in mid-stream is in no error', async () => {
  const wire = wireOf('anthropic');
  const error = {
    type: 'error',
    error: { type: 'api_error', message: 'wrong key sk-secret-0123456789 given' },
  };
  const reply = { ...speechOf('anthropic').ofParts([error]), next: Promise.resolve(new Uint8Array()) };
  expect(await faultOf(wire, reply)).toMatchObject({ message: 'server: wrong key [redacted] given' });
  const bare = {
    contentType: 'text/event-stream',
    bytes: new TextEncoder().encode(
      'data: sk-secret-0123456789 is a key that this server has never heard of\n\n',
    ),
  };
  expect(await faultOf(wire, bare)).toMatchObject({ message: expect.not.stringContaining('sk-') });
});

test('who follows an answer is told of a sign of life before the server may be silent again', async () => {
  const { contentType, bytes } = speechOf('anthropic').ofParts(speechOf('anthropic').beginning);
  const follower = new AbortController();
  const gone = new Error('gone quiet');
  const { model } = await modelFor(wireOf('anthropic').model, {
    apiKey: () => 'a-key',
    baseUrl: () => 'http://models.test',
    fetch: (_, init) => {
      const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
        controller.enqueue(bytes);
        init?.signal?.addEventListener('abort', () => controller.error(init.signal?.reason));
      };
      return Promise.resolve(
        new Response(new ReadableStream({ start }), { headers: { 'content-type': contentType } }),
      );
    },
    settings: () => ({ silenceMs: 50 }),
    scripted: createOfflineModel,
  });
  const timer = setTimeout(() => follower.abort(gone), 50);
  // Timers that wait for as long end in the order in which they were set.
  const ended = model.send(ask('Begin.', wireOf('anthropic').request), follower.signal, () =>
    timer.refresh(),
  );
  await expect(ended).rejects.toBe(gone);
});

test.each([
  ['data: {"choices": [{"del\n\n', /^server: failed to parse response: .*JSON/],
  ['data: 7\n\n', /^server: failed to parse response: the whole: /],
  [
    'data: {"choices": [{"delta": {"content": 7}}]}\n\n',
    /^server: failed to parse response: choices\.0\.delta/,
  ],
  ['<html>not a stream</html>', /^server: stream from URL ended in mid-answer$/],
])('a stream of %j is no answer', async (text, message) => {
  const bytes = new TextEncoder().encode(text);
  const reply = { contentType: 'text/event-stream', bytes, next: Promise.resolve(new Uint8Array()) };
  expect(await faultOf(wireOf('openai chat'), reply)).toMatchObject({
    category: 'server',
    message: expect.stringMatching(message),
    spent: 'unknown',
  });
});

test('an answer whose stream is left open is not waited for', async () => {
  const wire = wireOf('openai chat');
  const whole = speechOf('openai chat').stream({ thought: '', text: 'Done.', calls: [], pieceLength: 9 });
  const server = await startModelServer([{ ...whole, next: new Promise(() => {}) }]);
  onTestFinished(() => server.close());
  const { model, name } = await modelAt(server.url, wire);
  expect((await model.send(ask('x', { model: name, ...wire.request }), running)).text).toBe('Done.');
});

test('a part of a stream that no model writes is not read to its end', async () => {
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode(`data: ${'x'.repeat(2 ** 20)}`)),
  });
  const { model } = await modelFor('ollama/qwen3', {
    apiKey: () => '',
    baseUrl: () => 'http://models.test',
    fetch: () => Promise.resolve(new Response(endless, { headers: { 'content-type': 'text/event-stream' } })),
    scripted: createOfflineModel,
  });
  await expect(model.send(ask('x'), running)).rejects.toThrow(
    'server: a part of the stream is larger than 32 MB',
  );
});

describe('what servers of the protocol do in ways of their own', () => {
  async function answerOf(parts: readonly object[]) {
    stubAws();
    const { bytes, contentType } = speechOf('openai chat').ofParts(parts);
    const model: Model = (
      await modelFor('gemini/gemini-3', {
        apiKey: () => 'a-key',
        baseUrl: () => undefined,
        fetch: () =>
          Promise.resolve(new Response(bytes.slice(), { headers: { 'content-type': contentType } })),
        scripted: createOfflineModel,
      })
    ).model;
    return model.send(ask('x', { model: 'gemini-3' }), running);
  }
  const part = (delta: object, finish_reason: string | null = null) => ({
    choices: [{ delta, finish_reason }],
  });
  const end = { choices: [], usage: { prompt_tokens: 9, completion_tokens: 5 } };
  const call = (id: string, json: string, more = {}) => ({
    id,
    type: 'function',
    function: { name: 'f', arguments: json },
    ...more,
  });

  test('calls without numbers, signed after they are made, as with Gemini', async () => {
    const signed = { google: { thought_signature: 'signed' } };
    const answer = await answerOf([
      part({ tool_calls: [call('a', '{"x"')] }),
      part({ tool_calls: [{ function: { arguments: ':1}' } }] }),
      part({ tool_calls: [{ extra_content: signed }] }),
      part({ tool_calls: [call('b', '{}')] }),
      part({}, 'stop'),
      end,
    ]);
    expect(answer).toMatchObject({
      calls: [
        { id: 'a', name: 'f', arguments: { x: 1 } },
        { id: 'b', name: 'f', arguments: {} },
      ],
      providerContent: { wire: 'openai-chat', model: 'gemini-3', extra_content: [signed, null] },
    });
  });

  test('calls of one number with ids of their own', async () => {
    const answer = await answerOf([
      part(
        {
          tool_calls: [
            { index: 0, ...call('a', '{}') },
            { index: 0, ...call('b', '{"y":2}') },
          ],
        },
        'tool_calls',
      ),
      end,
    ]);
    expect(answer.calls.map(({ id, arguments: given }) => [id, given])).toEqual([
      ['a', {}],
      ['b', { y: 2 }],
    ]);
  });

  test('thoughts in pieces, as with OpenRouter', async () => {
    const piece = (text: string) => ({
      reasoning: text,
      reasoning_details: [{ type: 'reasoning.text', index: 0, text }],
    });
    const answer = await answerOf([
      part(piece('I ')),
      part(piece('see.')),
      part({ reasoning_details: [{ type: 'reasoning.text', index: 0, text: '', signature: 'signed' }] }),
      part({ tool_calls: [{ index: 0, ...call('a', '{}') }] }, 'tool_calls'),
      end,
    ]);
    expect(answer.providerContent).toEqual({
      wire: 'openai-chat',
      model: 'gemini-3',
      reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'I see.', signature: 'signed' }],
    });
  });

  test('content in parts, as with models of Mistral that think', async () => {
    const answer = await answerOf([
      part({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] }),
      part({ content: [{ type: 'text', text: 'Done' }] }),
      part({ content: '.' }, 'stop'),
      end,
    ]);
    expect(answer).toMatchObject({ text: 'Done.', usage: { inputTokens: 9, outputTokens: 5 } });
  });
});

function wireOf(name: string): Wire {
  const wire = WIRES[name];
  if (wire === undefined) throw new Error(`there is no wire ${name}`);
  return wire;
}

function speechOf(name: string): Speech {
  const speech = SPEECHES[name];
  if (speech === undefined) throw new Error(`there is no speech ${name}`);
  return speech;
}
