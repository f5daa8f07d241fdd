import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { OnDelta } from '../../src/core/model/model.ts';
import { ModelError } from '../../src/errors.ts';
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

async function faultOf(
  wire: Wire,
  reply: Reply | (() => Reply),
  silenceMs?: number,
  signal = running,
  onDelta?: OnDelta,
): Promise<unknown> {
  stubAws();
  const server = await startModelServer(typeof reply === 'function' ? reply : [reply]);
  onTestFinished(() => server.close());
  const { model, name } = await modelFor(wire.model, {
    apiKey: () => 'sk-secret-0123456789',
    baseUrl: () => server.url,
    settings: () => ({ silenceMs }),
    fetch,
    scripted: createOfflineModel,
  });
  return model
    .send(ask('Begin.', { model: name, ...wire.request }), signal, onDelta)
    .catch((thrown: unknown) => (thrown instanceof ModelError ? withoutPlace(thrown, server.url) : thrown));
}

function withoutPlace({ category, message, details }: ModelError, url: string) {
  return { category, message: message.replaceAll(url, 'URL'), spent: details.spent };
}

describe.each(BOTH)('a stream of %s', (name, wire, speech) => {
  const beginning = speech.ofParts(speech.beginning);

  test('that falls silent is given up, at a cost that nobody knows', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let told = '';
    const fault = await faultOf(
      wire,
      { ...beginning, next: new Promise(() => {}) },
      120_000,
      running,
      (delta) => {
        if (delta.type !== 'text') return;
        told += delta.text;
        // When all that was sent has been read.
        if (told === 'Hello there, you') setImmediate(() => void vi.advanceTimersByTimeAsync(120_000));
      },
    );
    expect(fault).toEqual({
      category: 'timeout',
      message: 'timeout: no sign of life from URL for 120 s',
      spent: 'unknown',
    });
  });

  test('that does not begin is given up', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const silent = (): Reply => {
      setImmediate(() => void vi.advanceTimersByTimeAsync(120_000));
      return 'silence';
    };
    expect(await faultOf(wire, silent, 120_000)).toMatchObject({
      message: 'timeout: no sign of life from URL for 120 s',
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

test('a follower of an answer is told of a sign of life before the server may be silent again', async () => {
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

test('a model of OpenAI that thinks may be silent for ten minutes, where nothing of its thoughts is sent', async () => {
  const [, openai] = BOTH.find(([, { model }]) => model === 'openai/gpt-4o') ?? [];
  const afterwards = async (name: string, settled?: number) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const silent = (): Reply => {
      setImmediate(() => void vi.advanceTimersByTimeAsync(600_000));
      return 'silence';
    };
    return openai && faultOf({ ...openai, model: name }, silent, settled);
  };
  const fault = (seconds: number) => ({ message: `timeout: no sign of life from URL for ${seconds} s` });
  expect(await afterwards('openai/gpt-5-mini')).toMatchObject(fault(600));
  expect(await afterwards('openai/gpt-5-mini', 60_000)).toMatchObject(fault(60));
  expect(await afterwards('openai/gpt-4o')).toMatchObject(fault(120));
});
