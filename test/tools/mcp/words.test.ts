import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { AgentError } from '../../../src/errors.ts';
import { BROKEN_OFF } from '../../../src/tools/mcp/client/http-transport.ts';
import { PrintedLines } from '../../../src/tools/mcp/client/printed-lines.ts';
import { cut, fateOf, oneLine, plain, wordsOf } from '../../../src/tools/mcp/client/words.ts';

const http = (status: number, more: object = {}) =>
  new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'http', { status, ...more });
const sdk = (code: SdkErrorCode, cause?: unknown) => new SdkError(code, 'the sdk says', undefined, { cause });
const failing = (code: string, message = `failed with ${code}`) =>
  Object.assign(new Error(message), { code });
const named = (name: string, message = 'as it is') => Object.assign(new Error(message), { name });
const missing = (path: string) => Object.assign(failing('ENOENT'), { path });
const fetchFailed = (cause: unknown) => new TypeError('fetch failed', { cause });
const PROTOCOL = 'its answer does not follow the protocol';

test.each<[thrown: unknown, words: string, fate: ReturnType<typeof fateOf>]>([
  [new ProtocolError(-32_602, 'no such tool'), 'no such tool', 'answered'],
  [new ProtocolError(BROKEN_OFF, 'the answer broke off'), 'the answer broke off', 'lost'],
  [new AgentError('no token'), 'no token', 'refused'],
  [http(299), 'HTTP 299', 'lost'],
  [http(300), 'it redirects to another place, which is not followed (HTTP 300)', 'refused'],
  [http(399), 'it redirects to another place, which is not followed (HTTP 399)', 'refused'],
  [http(400, { statusText: 'Bad', text: ' odd ' }), 'HTTP 400 Bad: odd', 'refused'],
  [http(499, { text: ' <html>' }), 'HTTP 499', 'refused'],
  [http(500, { text: 'a <b>' }), 'HTTP 500: a <b>', 'lost'],
  [sdk(SdkErrorCode.RequestTimeout), 'it took too long', 'lost'],
  [sdk(SdkErrorCode.ConnectionClosed), 'the server has exited', 'lost'],
  [sdk(SdkErrorCode.NotConnected), 'the server has exited', 'unsent'],
  [sdk(SdkErrorCode.InvalidResult), PROTOCOL, 'answered'],
  [sdk(SdkErrorCode.UnsupportedResultType), 'it asks for input, which nothing here can give', 'answered'],
  [sdk(SdkErrorCode.SendFailed), 'the sdk says', 'lost'],
  [sdk(SdkErrorCode.SendFailed, failing('EPIPE')), 'failed with EPIPE', 'lost'],
  [named('TimeoutError'), 'it took too long', 'lost'],
  [missing('npx'), 'there is no command "npx", or its folder does not exist', 'lost'],
  [
    missing('npx -y'),
    'there is no command "npx -y", or its folder does not exist; what follows the program belongs in args',
    'lost',
  ],
  [failing('ENOENT'), 'failed with ENOENT', 'lost'],
  [named('ZodError'), PROTOCOL, 'lost'],
  [new SyntaxError('x'), 'its answer is not JSON', 'lost'],
  ...['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT', 'EPIPE'].map(
    (code) => [fetchFailed(failing(code)), `failed with ${code}`, 'unsent'] as [unknown, string, 'unsent'],
  ),
  [fetchFailed(failing('ECONNRESET', '')), 'ECONNRESET', 'lost'],
  [fetchFailed(failing('CERT_HAS_EXPIRED')), 'failed with CERT_HAS_EXPIRED', 'lost'],
  [fetchFailed(failing('odd')), 'fetch failed', 'lost'],
  [fetchFailed(named('AnswerTooLong', 'it is too long')), 'it is too long', 'lost'],
  [fetchFailed('odd'), 'fetch failed', 'lost'],
  ['odd', 'odd', 'lost'],
])('%s is told as "%s", and the call is %s', (thrown, words, fate) => {
  expect([wordsOf(thrown, (text) => text), fateOf(thrown)]).toEqual([words, fate]);
});

test('a reason has no secret, stands on one line, and is cut', () => {
  const redact = (text: string) => text.replaceAll('secret', '[secret]');
  expect(wordsOf(new Error('my \n\u001b secret'), redact)).toBe('my [secret]');
  expect([499, 500, 501].map((length) => wordsOf(new Error('x'.repeat(length)), redact).length)).toEqual([
    499, 500, 501,
  ]);
  expect([oneLine(' a\t b\n', 9), plain('a\u200B\u202Eb\tc\n')]).toEqual(['a b', 'ab\tc\n']);
  expect([cut('0123456789', 10), cut('0123456789a', 10)]).toEqual(['0123456789', '012… [cut]']);
});

test('of what a server prints, each line that may be a message is taken once it is whole', () => {
  const lines = new PrintedLines();
  const take = (text: string) => [...lines.take(Buffer.from(text))];
  const message = (id: number) => `{"jsonrpc":"2.0","id":${id}}`;
  const shortest = '{"jsonrpc":"2.0"}';
  expect([
    take(`\n${message(1)}\n\n ${message(2)} \r\nlistening\n`),
    take(message(3).slice(0, 9)),
    take(`${message(3).slice(9)}\n${message(4)}`),
    take('\n'),
    take(`${shortest}\n${shortest.slice(1)} \n{"a":"b"}\n[${message(5)}]\n`),
  ]).toEqual([[message(1), message(2)], [], [message(3)], [message(4)], [shortest]]);
  const many = (count: number) => `${shortest}\n`.repeat(count);
  lines.understood();
  expect(take(many(1_000))).toHaveLength(1_000);
  lines.understood();
  expect(take(many(1_000))).toHaveLength(1_000);
  expect(() => take(many(1))).toThrow('more than 1000 lines are no messages');
});
