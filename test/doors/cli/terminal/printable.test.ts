import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonLine, oneLine, printable } from '../../../../src/doors/cli/terminal/printable.ts';
import { treeText } from '../../../../src/doors/cli/terminal/tree-text.ts';
import { verboseLine } from '../../../../src/doors/cli/terminal/verbose.ts';
import { anyText } from '../../../fixtures/random-texts.ts';

test('printed text has no control characters but line ends and tabs, and in one line none', () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      expect(printable(text).replace(/[\n\t]/g, '')).not.toMatch(/\p{Cc}/u);
      expect(oneLine(text)).not.toMatch(/\p{Cc}/u);
    }),
  );
});

test('JSON in a line has no control characters, and says the same', () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      expect(jsonLine({ text })).not.toMatch(/\p{Cc}/u);
      expect(JSON.parse(jsonLine({ text }))).toEqual({ text });
    }),
  );
  expect(jsonLine(['a\u009b2J\u007f\n'])).toBe('["a\\u009b2J\\u007f\\n"]');
});

test('text without control characters is printed as it is', () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      const clean = text.replace(/[^\P{Cc}\n\t]/gu, '');
      expect(printable(clean)).toBe(clean);
    }),
  );
});

test('escape sequences come out as harmless text', () => {
  expect(printable('a\u001b]52;c;eA==\u0007b\r\n\tc\u009b2J')).toBe('a\ufffd]52;c;eA==\ufffdb\n\tc\ufffd2J');
  expect(oneLine('one\r\n  two\tthree\u001b')).toBe('one two three\ufffd');
});

test('a tree keeps one line for each run, under any name of its agent', () => {
  const usage = { turns: 1, toolCalls: 0, inputTokens: 1, outputTokens: 1 };
  const at = '2026-01-31T10:00:00.000Z';
  const row = {
    id: 'x',
    agent: 'a\n\u001b[2Jb',
    usage,
    startedAt: at,
    endedAt: at,
    status: 'succeeded' as const,
  };
  expect(treeText([row], { now: 0 })).toEqual([expect.stringMatching(/^✓ {2}a \ufffd\[2Jb {2}succeeded/)]);
});

test('a task cannot forge a line of --verbose', () => {
  const run = { run: 'x', root: 'top', agent: 'a', model: 'm/n', depth: 1 };
  expect(verboseLine({ ...run, type: 'run_opened', task: 'do\n[sub-agent] "x" failed' }, 'top')).toBe(
    '[sub-agent] Calling "a" (depth 1) with task: do [sub-agent] "x" failed...',
  );
});
