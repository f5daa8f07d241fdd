import fc from 'fast-check';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Delta, Model, ModelRequest } from '../../src/core/model/model.ts';
import { createOfflineModel } from '../../src/providers/offline/offline.ts';
import { modelFor } from '../../src/places/models/registry.ts';
import { cases } from '../fixtures/cases.ts';
import { startModelServer } from '../fixtures/model-server.ts';
import { ask, running } from './requests.ts';
import { SPEECHES, type Speech, type Spoken, type Stream } from './streams.ts';
import { modelAt, stubAws, WIRES, type Wire } from './wires.ts';

const BOTH = Object.entries(WIRES).map(([name, wire]): [string, Wire, Speech] => {
  const speech = SPEECHES[name];
  if (speech === undefined) throw new Error(`no stream is written for ${name}`);
  return [name, wire, speech];
});

afterEach(() => void vi.useRealTimers());

/** The model of a wire whose server answers with what `respond` returns. */
async function modelOf({ model }: Wire, respond: () => Response, silenceMs?: number): Promise<Model> {
  stubAws();
  const sources = {
    apiKey: () => 'a-key',
    baseUrl: () => 'http://models.test',
    settings: () => ({ silenceMs }),
    fetch: () => Promise.resolve(respond()),
    scripted: createOfflineModel,
  };
  return (await modelFor(model, sources)).model;
}

function requestOf({ model, request }: Wire): ModelRequest {
  return ask('Begin.', { model: model.slice(model.indexOf('/') + 1), ...request });
}

function answered({ contentType }: Stream, chunks: Iterable<Uint8Array>): Response {
  return new Response(ReadableStream.from(chunks), { headers: { 'content-type': contentType } });
}

function* inChunks(bytes: Uint8Array, lengths: readonly number[]): Generator<Uint8Array> {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const length = lengths[turn % lengths.length] ?? 1;
    yield bytes.slice(at, at + length);
    at += length;
  }
}

const texts = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\n', '\r', '"', 'é', '☃', '😀', ':'),
    fc.string({ minLength: 1, maxLength: 1 }),
  ),
});
const spokenAnswers: fc.Arbitrary<Spoken> = fc
  .record({
    thought: texts,
    text: texts,
    calls: fc.array(
      fc.record({
        name: fc.constantFrom('call_agent', 'read_file'),
        input: fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue({ maxDepth: 3 }), {
          noNullPrototype: true,
        }),
      }),
      { maxLength: 3 },
    ),
    pieceLength: fc.integer({ min: 1, max: 9 }),
  })
  .filter(({ text, calls }) => text !== '' || calls.length > 0)
  .map(({ calls, ...spoken }) => ({
    ...spoken,
    calls: calls.map((call, index) => ({ ...call, id: `c${index}` })),
  }));

const short: Spoken = {
  thought: 'Hm.',
  text: 'Ah ☃',
  calls: [{ id: 'c0', name: 'f', input: {} }],
  pieceLength: 9,
};

describe.each(BOTH)('an answer of %s that is streamed', (_, wire, speech) => {
  test('is the one that comes whole, however the stream is cut into chunks', async () => {
    let response = () => new Response();
    const model = await modelOf(wire, () => response());
    const lengths = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(spokenAnswers, lengths, async (spoken, chunks) => {
        response = () => Response.json(speech.whole(spoken));
        const whole = await model.send(requestOf(wire), running);
        const stream = speech.stream(spoken);
        response = () => answered(stream, inChunks(stream.bytes, chunks));
        const deltas: Delta[] = [];
        expect(await model.send(requestOf(wire), running, (delta) => deltas.push(delta))).toEqual(whole);
        const told = { text: '', thinking: '' };
        for (const delta of deltas) if (delta.type !== 'alive') told[delta.type] += delta.text;
        expect(told).toEqual({ text: whole.text, thinking: spoken.thought });
        expect(await model.send(requestOf(wire), running)).toEqual(whole);
      }),
      { numRuns: cases(20), examples: [[{ ...short, text: 'A\r\n☃😀' }, [1]]] },
    );
  });

  test('tells of its pieces before it has ended', async () => {
    const half = speech.ofParts(speech.beginning);
    const whole = speech.stream({ thought: '', text: 'Hello there, you', calls: [], pieceLength: 5 });
    let hear = (_rest: Uint8Array) => {};
    const next = new Promise<Uint8Array>((resolve) => (hear = resolve));
    const server = await startModelServer([{ ...half, next }]);
    onTestFinished(() => server.close());
    const { model } = await modelAt(server.url, wire);
    const deltas: string[] = [];
    const answer = await model.send(requestOf(wire), running, (delta) => {
      if (delta.type === 'text') deltas.push(delta.text);
      // Sent only now: who waits for the whole answer would wait for ever.
      if (deltas.join('') === 'Hello there, you') hear(whole.bytes.slice(half.bytes.length));
    });
    expect(deltas).toEqual(['Hello', ' ther', 'e, yo', 'u']);
    expect(answer.text).toBe('Hello there, you');
  });
});
