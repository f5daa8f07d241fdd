import { stripVTControlCharacters, styleText } from 'node:util';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import {
  openPlain,
  openRendered,
  type ShownAnswer,
} from '../../../../../src/doors/cli/terminal/markdown/rendered-answer.ts';
import { HIDDEN, HIDDEN_CHARACTERS } from '../../../../fixtures/hidden-characters.ts';
import { anyText } from '../../../../fixtures/random-texts.ts';

const shownBy = (answer: ShownAnswer, pieces: readonly string[]) =>
  pieces.map((piece) => answer.add(piece)).join('') + answer.end();

const rendered = (text: string, label = '', width = 40) =>
  shownBy(
    openRendered(label, () => width),
    [text],
  );

const letters = (text: string, label?: string, width?: number) =>
  stripVTControlCharacters(rendered(text, label, width));

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

  test('is the same, however its text is cut', () => {
    const lines = [
      '# h',
      'a *b*',
      '- x',
      '  - y',
      '',
      '```',
      '~~~',
      '| a | b |',
      '|--|--|',
      '> q',
      '1. z',
      '===',
      '漢 👩‍🔬',
    ];
    const texts = fc.array(fc.constantFrom(...lines), { maxLength: 20 }).map((all) => all.join('\n'));
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 7 }), (text, size) => {
        const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'gu')) ?? [];
        expect(
          shownBy(
            openRendered('bob: ', () => 30),
            pieces,
          ),
        ).toBe(rendered(text, 'bob: ', 30));
      }),
    );
  });

  test('has no hidden characters and no sequences but those of its styles', () => {
    const marks = fc.constantFrom(
      '*',
      '_',
      '`',
      '# ',
      '- ',
      '> ',
      '|',
      '\n',
      '[',
      '](',
      ')',
      '&#27;',
      '&#x202e;',
      '\\',
    );
    const parts = fc.array(fc.oneof(marks, anyText({ maxLength: 8 })), { maxLength: 40 });
    fc.assert(
      fc.property(parts, (all) => {
        const text = rendered(all.join(''), 'bob: ', 30);
        const plain = text.split(/\u{1b}\[\d+m/u).join('');
        expect(plain.replaceAll(/[\n\t]/g, '')).not.toMatch(HIDDEN);
      }),
    );
  });

  test.each(HIDDEN_CHARACTERS)('cannot hide %s in words, code, tables or addresses', (_, hidden) => {
    const text = `a${hidden}b \`a${hidden}b\` [a${hidden}b](https://a${hidden}b)\n\n| a${hidden}b |\n|--|\n| x |\n\n\`\`\`\na${hidden}b\n`;
    expect(letters(text).match(/a\ufffdb/g)).toHaveLength(6);
  });

  test.each([
    ['brackets', '['.repeat(20_000), '['.repeat(20_000)],
    ['quotes in quotes', '> '.repeat(10_000), '>'.repeat(10_000)],
    ['lists in lists', '1. '.repeat(7_000), '1.'.repeat(7_000)],
    ['a list in a thousand others', `${'- '.repeat(1_000)}x`, `${'•'.repeat(37)}${'-'.repeat(963)}x`],
    ['a rule of a thousand marks', '- '.repeat(1_000), '─'.repeat(40)],
    ['a rule in quotes', `${'> '.repeat(60)}---`, `${'>'.repeat(23)}---`],
    ['a word in quotes', `${'> '.repeat(60)}word`, `${'>'.repeat(23)}word`],
    ['a paragraph without an end', 'word '.repeat(10_000), 'word'.repeat(10_000)],
    ['a word without an end', 'x'.repeat(30_000), 'x'.repeat(30_000)],
  ])('that has %s is shown all the same', (_, text, expected) => {
    // Beside the bars of quotes, which stand in each line of them.
    const shown = letters(text, '', 80).replaceAll(/[\s│]/g, '');
    expect(shown).toBe(expected);
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

  test('is cut within a line that is too long, whether it comes at once or piece by piece', () => {
    const text = `**${'words '.repeat(2000)}${'漢'.repeat(9000)}👩${'x'.repeat(9000)}**\n`;
    const pieces = text.match(/[^]{1,1000}/gu) ?? [];
    const open = () => openRendered('', () => 80);
    expect(shownBy(open(), pieces)).toBe(shownBy(open(), [text]));
    expect(letters(text)).toMatch(/^\*\*words/);
  });
});

test('where there are no colours, an answer is shown as it was written, line by line', () => {
  const answer = openPlain('bob: ');
  expect([answer.add('# a'), answer.rest()]).toEqual(['', 'bob: # a']);
  expect([answer.add('\n**b**\u001b'), answer.rest()]).toEqual(['bob: # a\n', '**b**\ufffd']);
  expect(answer.end()).toBe('**b**\ufffd\n');
});

test('a line of words is no wider than the terminal', () => {
  const text = `${'漢字'.repeat(30)} ${'words and '.repeat(20)}\n\n- ${'items of '.repeat(10)}\n\n> ${'quotes '.repeat(10)}`;
  const widths = rendered(text, 'bob: ', 24)
    .split('\n')
    .map((line) => stringWidth(line));
  expect(Math.max(...widths)).toBeLessThanOrEqual(24);
});
