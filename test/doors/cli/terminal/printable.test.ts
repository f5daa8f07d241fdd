import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonLine, oneLine, printable } from '../../../../src/doors/cli/terminal/printable.ts';
import { treeText } from '../../../../src/doors/cli/terminal/tree-text.ts';
import { createVerbose } from '../../../../src/doors/cli/terminal/verbose.ts';
import { HIDDEN, HIDDEN_CHARACTERS } from '../../../fixtures/hidden-characters.ts';
import { anyText } from '../../../fixtures/random-texts.ts';

test('printed text has no hidden characters but line ends and tabs, and in one line none', () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      expect(printable(text).replace(/[\n\t]/g, '')).not.toMatch(HIDDEN);
      expect(oneLine(text)).not.toMatch(HIDDEN);
    }),
  );
});

test('JSON in a line has no hidden characters, and says the same', () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      expect(jsonLine({ text })).not.toMatch(HIDDEN);
      expect(JSON.parse(jsonLine({ text }))).toEqual({ text });
    }),
  );
  expect(jsonLine(['a\u009b2J\u007f\n\u{e0041}'])).toBe('["a\\u009b2J\\u007f\\n\\udb40\\udc41"]');
});

test('text without hidden characters is printed as it is', () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      const clean = [...text].filter((character) => /[\n\t]/.test(character) || !HIDDEN.test(character));
      expect(printable(clean.join(''))).toBe(clean.join(''));
    }),
  );
});

test.each(HIDDEN_CHARACTERS)('a text cannot hide %s', (_, hidden) => {
  expect(printable(`a${hidden}b`)).toBe('a\ufffdb');
  expect(oneLine(`a${hidden}b`)).toMatch(/^a[\ufffd ]b$/);
  expect(jsonLine(`a${hidden}b`)).not.toContain(hidden);
});

test.each([
  [
    'a family, a flag and a coloured hand',
    '\u{1f468}\u200d\u{1f469}\u200d\u{1f467} \u{1f1e9}\u{1f1ea} \u{1f44d}\u{1f3fd}',
  ],
  ['hearts and keys', '\u2764\ufe0f\u200d\u{1f525} \u2764\ufe0e 1\ufe0f\u20e3'],
  ['Persian', '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645'],
  ['Hindi', '\u0915\u094d\u200d\u0937'],
  ['accents that are combined', 're\u0301sume\u0301'],
])('%s stay whole', (_, text) => {
  expect(printable(text)).toBe(text);
});

test.each([
  ['joiners between letters', 'a\u200db', 'a\ufffdb'],
  ['a joiner without a second emoji', '\u{1f468}\u200d!', '\u{1f468}\ufffd!'],
  ['a row of variation selectors', '\u{1f600}\ufe0f\ufe0f\u{e0101}', '\u{1f600}\ufe0f\ufffd\ufffd'],
  ['a row of joiners', '\u0645\u200c\u200c\u0645', '\u0645\u200c\ufffd\u0645'],
])('%s do not', (_, text, shown) => {
  expect(printable(text)).toBe(shown);
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
  expect(createVerbose('top')({ ...run, type: 'run_opened', task: 'do\n[sub-agent] "x" failed' })).toBe(
    '[sub-agent] Calling "a" (depth 1) with task: do [sub-agent] "x" failed...',
  );
});
