import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toEntry } from '../../../src/core/memory/entry.ts';

const AT = '2026-01-31T10:00:00.789Z';

test('an entry has the time to the second, the message on one line and the answer', () => {
  expect(toEntry(AT, 'What is\nnew\r\nin\rtown?', 'Nothing.\n\nReally.')).toEqual({
    at: '2026-01-31T10:00:00Z',
    task: 'What is new in town?',
    result: 'Nothing.\n\nReally.',
  });
});

test.each([
  ['fits', 'x'.repeat(1000), 'x'.repeat(1000)],
  ['is a byte too long', 'x'.repeat(1001), `${'x'.repeat(1000)}...`],
  ['would end within a character of two bytes', `x${'é'.repeat(500)}`, `x${'é'.repeat(499)}...`],
  ['would end within a character of four bytes', `xyz${'😀'.repeat(250)}`, `xyz${'😀'.repeat(249)}...`],
  ['is no Unicode', 'a\ud800b', 'a\ufffdb'],
])('an answer that %s is kept as far as 1000 bytes go', (_, answer, result) => {
  expect(toEntry(AT, 'x', answer).result).toBe(result);
});

test('the kept beginning of an answer is whole characters, as many as 1000 bytes hold', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 200, maxLength: 600 }), (answer) => {
      const { result } = toEntry(AT, 'x', answer);
      const isCut = Buffer.byteLength(answer) > 1000;
      const kept = isCut ? result.slice(0, -'...'.length) : result;
      expect(result).toBe(isCut ? `${kept}...` : answer);
      expect(answer.startsWith(kept)).toBe(true);
      expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(1000);
      const next = isCut ? String.fromCodePoint(answer.codePointAt(kept.length) ?? 0) : 'x'.repeat(1001);
      expect(Buffer.byteLength(kept + next)).toBeGreaterThan(1000);
    }),
  );
});

test('a message that would not fit into the table is cut, too', () => {
  const { task } = toEntry(AT, '\n'.repeat(1_000_000), 'x');
  expect(task).toBe(`${' '.repeat(40_000)}...`);
});
