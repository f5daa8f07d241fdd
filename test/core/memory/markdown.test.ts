import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../../src/errors.ts';
import type { MemoryEntry } from '../../../src/core/memory/entry.ts';
import { fromMarkdown, toMarkdown } from '../../../src/core/memory/markdown.ts';

const entry = (at: string, task: string, result: string): MemoryEntry => ({ at, task, result });
const TWO = [
  entry('2026-01-31T10:00:00Z', 'What is new?', 'Nothing.'),
  entry('2026-01-31T11:00:00Z', 'And now?', 'Two lines:\n\n- a list'),
];
const TEXT = `## 2026-01-31T10:00:00Z
**Task:** What is new?
**Result:** Nothing.

## 2026-01-31T11:00:00Z
**Task:** And now?
**Result:** Two lines:

- a list

`;

describe('memory as Markdown', () => {
  test('has a heading, a task and a result for each entry', () => {
    expect(toMarkdown(TWO)).toBe(TEXT);
    expect(fromMarkdown(TEXT)).toEqual(TWO);
    expect([toMarkdown([]), fromMarkdown(''), fromMarkdown('\n\n')]).toEqual(['', [], []]);
  });

  test('is read where an editor has taken away what cannot be seen', () => {
    const edited = `\uFEFF${TEXT.trimEnd()}`.replace('\n\n## ', '\n## ');
    expect(fromMarkdown(edited)).toEqual(TWO);
    const empty = '## 2026-01-31T10:00:00Z\n**Task:**\n**Result:**\n';
    expect(fromMarkdown(empty)).toEqual([entry('2026-01-31T10:00:00Z', '', '')]);
  });

  test('has a note in place of a task and a result where an agent saved an entry by itself', () => {
    const notes = [
      entry('2026-01-31T10:00:00Z', '', 'Ada likes tea.\n\n**Result:** none'),
      entry('2026-01-31T11:00:00Z', '', ''),
      ...TWO,
    ];
    const text = `## 2026-01-31T10:00:00Z\n**Note:** Ada likes tea.\n\n**Result:** none\n\n## 2026-01-31T11:00:00Z\n**Note:** \n\n${TEXT}`;
    expect(toMarkdown(notes)).toBe(text);
    expect(fromMarkdown(text)).toEqual(notes);
  });

  test('tells a result that looks like an entry from an entry', () => {
    const entries = [entry('2026-01-31T10:00:00Z', '## 2026-01-31T10:00:00Z', TEXT)];
    const text = toMarkdown(entries);
    expect(text.match(/^## /gm)).toHaveLength(1);
    expect(fromMarkdown(text)).toEqual(entries);
    expect(fromMarkdown(toMarkdown([entry('2026-01-31T10:00:00Z', 'x', text)]))[0]?.result).toBe(text);
  });

  test('comes back as it was, with any content', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 5 }),
      fc.constantFrom(
        '\n',
        '\n\n',
        '\\',
        '## 2026-01-31T10:00:00Z',
        '**Task:** x',
        '**Result:** y',
        '\r',
        '\u2028',
      ),
    );
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    const at = fc
      .integer({ min: 0, max: 4_000_000_000 })
      .map((seconds) => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z'));
    const task = text.map((words) => words.replaceAll('\n', ' '));
    const entries = fc.array(fc.record({ at, task, result: text }), { maxLength: 5 });
    fc.assert(
      fc.property(entries, (kept) => {
        expect(fromMarkdown(toMarkdown(kept))).toEqual(kept);
      }),
    );
  });

  const heading = '## 2026-01-31T10:00:00Z';
  test.each([
    ['# Memory\n', 'line 1: expected a heading such as "## 2026-01-31T10:00:00Z", found "# Memory"'],
    ['\n\nx', 'line 3: expected a heading such as "## 2026-01-31T10:00:00Z", found "x"'],
    [
      '## 2026-01-31T10:00:00+01:00\n**Task:** x\n**Result:** y\n',
      'line 1: expected a heading such as "## 2026-01-31T10:00:00Z", found "## 2026-01-31T10:00:00+01:00"',
    ],
    [`${TEXT}${heading}\n`, 'line 12: expected "**Task:** …", found ""'],
    [heading, 'line 2: expected "**Task:** …", found the end of the text'],
    [`${heading}\n**Task:** x\n${heading}\n`, `line 3: expected "**Result:** …", found "${heading}"`],
    [`${heading}\n**Task:** x\n\n**Result:** y`, 'line 3: expected "**Result:** …", found ""'],
    [heading.replace('01-31', '13-31'), 'line 1: "2026-13-31T10:00:00Z" is not a date and time'],
    [
      `${heading}\n**Task:** x\n**Result:** ${'y'.repeat(50_000)}`,
      'line 1: the entry has 50001 bytes, and the limit is 50000; shorten it',
    ],
  ])('says where it is none: %#', (text, message) => {
    expect(() => fromMarkdown(text)).toThrow(new ConfigError(message));
  });
});
