import { stripVTControlCharacters, styleText } from 'node:util';
import { describe, expect, test } from 'vitest';
import { openPlain, openRendered } from '../../../../../src/doors/cli/terminal/markdown/rendered-answer.ts';
import { letters, rendered, shownBy } from './rendered.ts';

const styled = (style: Parameters<typeof styleText>[0], text: string) =>
  styleText(style, text, { validateStream: false });

describe('the Markdown of an answer', () => {
  test('is shown in the letters of a terminal, wrapped between words', () => {
    const text = `# Findings
The **first** file is \`a.ts\`, and _all_ others are ~~not~~ read &amp; kept.

- one
- two with a [link](https://example.com/x)
  1. deeper
- [x] done

> quoted words that are longer than the width

***
![a picture](p.png) <https://example.com>
`;
    expect(letters(text, 'bob: ').split('\n')).toEqual([
      'bob:',
      'Findings',
      '',
      'The first file is a.ts, and all others',
      'are not read & kept.',
      '',
      '• one',
      '• two with a link',
      '  (https://example.com/x)',
      '  1. deeper',
      '• ☑ done',
      '',
      '│ quoted words that are longer than the',
      '│ width',
      '',
      '─'.repeat(40),
      '',
      '[image: a picture] (p.png)',
      'https://example.com',
      '',
    ]);
  });

  test('has the styles of its words', () => {
    expect(rendered('a **b** _c_ `d` ~~e~~\n\n## f\n', 'bob: ')).toBe(
      `bob: a ${styled('bold', 'b')} ${styled('italic', 'c')} ${styled('cyan', 'd')} ${styled('strikethrough', 'e')}\n\n${styled('bold', 'f')}\n`,
    );
  });

  test('leaves code as it is, without its fences and however long a line is', () => {
    const code = `if (a) {\n\n  b("${'x'.repeat(60)}", "**no**");\n}`;
    expect(letters(`See:\n\`\`\`ts\n${code}\n\`\`\`\nThat is it.`)).toBe(`See:\n\n${code}\n\nThat is it.\n`);
  });

  test('shows a table in columns, with what is too long wrapped in its cell', () => {
    const text = `| Name | Size | What it is |\n|---|--:|:-:|\n| 漢字 | 12 | a long explanation of it all |\n| b | 3 | *c* |\n\nEnd.`;
    expect(letters(text, '', 32).split('\n')).toEqual([
      'Name  Size       What it is',
      '────  ────  ────────────────────',
      '漢字    12   a long explanation',
      '                 of it all',
      'b        3           c',
      '',
      'End.',
      '',
    ]);
  });

  test('is left as it is where it is JSON', () => {
    const json = '{\n  "*a*": ["_b_", "`c`"]\n}';
    expect(rendered(json)).toBe(`${json}\n`);
  });

  test('comes in paragraphs, items, lines of code and rows as they are finished', () => {
    const answer = openRendered('', () => 40);
    const steps = [
      ['Some *wor', ''],
      ['ds*.\n', ''],
      ['\n', `Some ${styled('italic', 'words')}.\n`],
      ['- one\n', ''],
      ['- tw', ''],
      ['o\n', '\n• one\n'],
      ['```\nx', '• two\n'],
      [' = 1\ny', `\n${styled('cyan', 'x = 1')}\n`],
      [' = 2\n```\nLast', `${styled('cyan', 'y = 2')}\n`],
    ] as const;
    for (const [text, finished] of steps) expect([text, answer.add(text)]).toEqual([text, finished]);
    expect(answer.rest()).toBe('Last');
    expect(answer.end()).toBe('\nLast\n');
  });

  test('comes in rows after the first rows of a long table have set its columns', () => {
    const answer = openRendered('', () => 40);
    const rows = Array.from({ length: 30 }, (_, index) => `| ${index} | row |\n`);
    const shown = ['| n | t |\n|---|---|\n', ...rows].map((row) => stripVTControlCharacters(answer.add(row)));
    expect(shown.slice(0, 12).join('')).toBe('');
    expect(shown[12]).toContain('0   row\n');
    expect(shown.slice(13)).toEqual(rows.slice(12).map((_, index) => `${index + 12}  row\n`));
    expect(answer.end()).toBe('');
  });

  test('has rules in a terminal that does not tell its width', () => {
    expect(letters('---', '', -1)).toBe(`${'─'.repeat(8)}\n`);
  });

  test('keeps how far its first line is indented, which may come in a piece of its own', () => {
    const pieces = ['\n', ' ', ' ', '- one\n  - two\n'];
    expect(
      shownBy(
        openRendered('bob: ', () => 30),
        pieces,
      ),
    ).toBe('bob:\n• one\n• two\n');
  });
});

test('where there are no colours, an answer is shown as it was written, line by line', () => {
  const answer = openPlain('bob: ');
  expect([answer.add('# a'), answer.rest()]).toEqual(['', 'bob: # a']);
  expect([answer.add('\n**b**\u001b'), answer.rest()]).toEqual(['bob: # a\n', '**b**\ufffd']);
  expect(answer.end()).toBe('**b**\ufffd\n');
});
