import * as v from 'valibot';
import { expect, test } from 'vitest';
import { ModelError } from '../../src/errors.ts';
import { batchesSince, cancelled, failed } from '../../src/providers/batches.ts';
import { citing, lineOf } from '../../src/providers/cited.ts';
import { embedInParts } from '../../src/providers/embed-in-parts.ts';
import { redact, statusError } from '../../src/providers/http.ts';
import { watchServer } from '../../src/providers/silence.ts';
import { inputOf, listOf, tokenCount } from '../../src/providers/wire-parts.ts';

const running = new AbortController().signal;

test('pages are cited once each, fifty at most, with a title of one line and an address that can be followed', () => {
  const url = (length: number) => `https://a.example/${'x'.repeat(length - 18)}`;
  expect(
    citing([
      { title: ' a\n b ', url: 'https://a.example' },
      { title: 'x'.repeat(300), url: 'HTTP://b.example' },
      { title: 'x'.repeat(301), url: url(2_000) },
      { title: null, url: 'https://c.example' },
      { title: 'again', url: 'https://a.example' },
      { title: 'too long', url: url(2_001) },
      { title: 'of another kind', url: 'javascript:alert()' },
      { title: 'spaced', url: 'https://a b' },
      { title: 'no address', url: 'https://[' },
      { title: 'another beginning', url: 'see https://a.example' },
    ]),
  ).toEqual({
    sources: [
      { title: 'again', url: 'https://a.example' },
      { title: 'x'.repeat(300), url: 'HTTP://b.example' },
      { title: `${'x'.repeat(300)}...`, url: url(2_000) },
      { title: 'https://c.example', url: 'https://c.example' },
    ],
  });
  const many = Array.from({ length: 51 }, (_, index) => ({ title: 'x', url: `https://a.example/${index}` }));
  expect([citing(many).sources?.length, citing([])]).toEqual([50, {}]);
  expect([lineOf('ab', 2), lineOf('abc', 2), lineOf('a😀', 2)]).toEqual(['ab', 'ab...', 'a\uFFFD...']);
});

test('of a list in an answer a thousand items are read, and none is an empty one', () => {
  const list = listOf(v.number());
  const many = Array.from({ length: 1_001 }, (_, index) => index);
  expect([undefined, null, [1], many].map((value) => v.parse(list, value))).toEqual([
    [],
    [],
    [1],
    many.slice(0, 1_000),
  ]);
  expect([v.is(list, 'text'), v.is(list, {}), v.is(list, ['x'])]).toEqual([false, false, false]);
});

test('a count of tokens that can be none is to be estimated', () => {
  const counts = [0, 7, 2 ** 53 - 1, -1, 0.5, 2 ** 53, NaN, '7', null, undefined];
  expect(counts.map((count) => v.parse(tokenCount, count))).toEqual([
    0,
    7,
    2 ** 53 - 1,
    ...Array<undefined>(7),
  ]);
  expect(['{"a":1}', '[', ''].map(inputOf)).toEqual([{ a: 1 }, '[', '']);
});

test('texts are embedded so many at a time, and where their tokens are not counted these are a guess', async () => {
  const asked: unknown[] = [];
  const { embed } = embedInParts(2, async (texts, kind) => {
    asked.push([texts, kind]);
    return { vectors: texts.map(({ length }) => [length]), tokens: texts.length === 1 ? 9 : undefined };
  });
  expect(await embed(['abc', 'de', 'f'], 'entry', running)).toEqual({
    vectors: [[3], [2], [1]],
    tokens: Math.ceil(5 / 4) + 9,
  });
  expect(await embed([], 'query', running)).toEqual({ vectors: [], tokens: 0 });
  expect(asked).toEqual([
    [['abc', 'de'], 'entry'],
    [['f'], 'entry'],
  ]);
});

test('batches are looked for from five seconds before a moment on, and on fifty pages at most', async () => {
  const at = 1_000_000;
  const asked: unknown[] = [];
  const listed = async (
    pages: { id: string; at: number }[][],
    more: (page: number) => boolean | undefined,
  ) => {
    asked.length = 0;
    const found = await batchesSince(
      at,
      async (after) => {
        asked.push(after);
        return { data: pages[asked.length - 1] ?? [], has_more: more(asked.length) };
      },
      (batch) => batch.at,
    );
    return [found.map(({ id }) => id), [...asked]];
  };
  const one = { id: 'one', at };
  const early = { id: 'early', at: at - 5_000 };
  const old = { id: 'old', at: at - 5_001 };
  expect([
    await listed([[one], [early]], (page) => page < 2),
    await listed([[one, old], [early]], () => true),
    await listed([[one], [early]], () => undefined),
    await listed([[], [early]], () => true),
  ]).toEqual([
    [
      ['one', 'early'],
      [undefined, 'one'],
    ],
    [['one'], [undefined]],
    [['one'], [undefined]],
    [[], [undefined]],
  ]);
  const [found, pages] = await listed(
    Array.from({ length: 60 }, () => [one]),
    () => true,
  );
  expect([found?.length, pages?.length]).toEqual([50, 50]);
});

test('a batch that was over before it was cancelled is no fault', async () => {
  const refusing = (status?: number) =>
    cancelled(
      Promise.reject(new ModelError('bad_request', 'no', status === undefined ? {} : { status })),
    ).then(
      () => 'over',
      () => 'fault',
    );
  expect(await Promise.all([400, 409, 404, 500, undefined].map(refusing))).toEqual([
    'over',
    'over',
    'fault',
    'fault',
    'fault',
  ]);
  await expect(cancelled(Promise.reject(new Error('broken')))).rejects.toThrow('broken');
});

test('a fault of one request in a batch has a class and a message', () => {
  expect(
    [
      { error: { type: 'overloaded_error', message: 'busy' } },
      { type: 'rate_limit_error', message: 'slow down' },
      { code: 'x', message: '' },
      null,
    ].map(failed),
  ).toEqual([
    { failed: { category: 'overloaded', message: 'busy' } },
    { failed: { category: 'rate_limit', message: 'slow down' } },
    { failed: { category: 'server', message: 'the request failed in its batch' } },
    { failed: { category: 'server', message: 'the request failed in its batch' } },
  ]);
});

test('a key is taken out of messages where it is long enough to be one', () => {
  const refusal = (apiKey: string) => redact({ apiKey }, 'the key 12345678 of 1234567 is 12345678');
  expect(['12345678', '1234567', ''].map(refusal)).toEqual([
    'the key [redacted] of 1234567 is [redacted]',
    'the key 12345678 of 1234567 is 12345678',
    'the key 12345678 of 1234567 is 12345678',
  ]);
});

test.each<[string | undefined, number | undefined]>([
  [undefined, undefined],
  ['0', 0],
  [' 1.0001 ', 1_001],
  ['soon', undefined],
  [new Date(0).toUTCString(), 0],
])('an API that asks to be left alone for %j is, for so many milliseconds', (header, expected) => {
  const headers = header === undefined ? {} : { 'retry-after': header };
  const fault = statusError({ apiKey: '' }, new Response('', { status: 418, headers }), '');
  const { retryAfterMs } = fault.details;
  expect([fault.message, fault.details.status, retryAfterMs]).toEqual([
    'server: HTTP status 418',
    418,
    expected,
  ]);
});

test('the silence of a server is told with its length, and what it has cost', async () => {
  const { signal, end } = watchServer('https://a.example', { silenceMs: 1 }, running, () => 'unknown');
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
  end();
  const text = 'no sign of life from https://a.example for 0.001 s';
  expect(signal.reason).toEqual(new ModelError('timeout', text, { spent: 'unknown' }));
  expect(signal.reason).toHaveProperty('details', { spent: 'unknown' });
});
