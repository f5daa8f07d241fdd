import { describe, expect, test } from 'vitest';
import type { ModelError } from '../../src/errors.ts';
import { createOllamaModel } from '../../src/providers/ollama/ollama.ts';
import { ask, running } from './requests.ts';

const URL = 'http://models.test';

function answeredBy(fetchIt: typeof fetch) {
  return createOllamaModel({ baseUrl: URL, fetch: fetchIt }).send(ask('x'), running);
}

/** The error that `fetch` throws: the reason is in its cause. */
const failing =
  (cause: unknown): typeof fetch =>
  () =>
    Promise.reject(new TypeError('fetch failed', { cause }));
/** A name that stands for several addresses: Node.js gives a code and no message. */
const severalAddresses = (code: string) =>
  Object.assign(new AggregateError([new Error('one'), new Error('two')]), { code });

describe('a network that fails', () => {
  test.each<[string, unknown, Pick<ModelError, 'category' | 'message'>]>([
    [
      'its message',
      Object.assign(new Error('connect EHOSTUNREACH 10.0.0.1:443'), { code: 'EHOSTUNREACH' }),
      { category: 'server', message: `server: no answer from ${URL}: connect EHOSTUNREACH 10.0.0.1:443` },
    ],
    [
      'its code where none of several addresses answers',
      severalAddresses('ENETUNREACH'),
      { category: 'server', message: `server: no answer from ${URL}: ENETUNREACH` },
    ],
    [
      'a timeout where that is its code',
      severalAddresses('ETIMEDOUT'),
      { category: 'timeout', message: `timeout: no answer from ${URL}: ETIMEDOUT` },
    ],
    [
      'a server that does not run where each address refuses',
      severalAddresses('ECONNREFUSED'),
      {
        category: 'server',
        message: `server: connection refused: is Ollama running? (expected at ${URL})`,
      },
    ],
    [
      'what fetch says where its cause says nothing',
      {},
      { category: 'server', message: `server: no answer from ${URL}: fetch failed` },
    ],
    [
      'what fetch says where there is no cause',
      undefined,
      { category: 'server', message: `server: no answer from ${URL}: fetch failed` },
    ],
  ])('is told by %s', async (_, cause, fault) => {
    await expect(answeredBy(failing(cause))).rejects.toMatchObject({ name: 'ModelError', ...fault });
  });
});

describe('an answer that comes in chunks', () => {
  const inChunks =
    (...chunks: Uint8Array[]): typeof fetch =>
    () =>
      Promise.resolve(new Response(ReadableStream.from(chunks)));
  const bytes = new TextEncoder().encode('{"message":{"content":"a☃b"},"done_reason":"stop"}');

  test('is the same wherever it is cut, within a character too', async () => {
    for (let cut = 0; cut <= bytes.length; cut++) {
      const { text } = await answeredBy(inChunks(bytes.subarray(0, cut), bytes.subarray(cut)));
      expect(text).toBe('a☃b');
    }
  });

  test('is no answer where it ends within a character', async () => {
    await expect(answeredBy(inChunks(bytes, Uint8Array.of(0xe2, 0x98)))).rejects.toThrow(
      'server: failed to parse response: ',
    );
  });
});
