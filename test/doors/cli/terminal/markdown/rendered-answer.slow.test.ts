import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { openRendered } from '../../../../../src/doors/cli/terminal/markdown/rendered-answer.ts';
import { HIDDEN, HIDDEN_CHARACTERS } from '../../../../fixtures/hidden-characters.ts';
import { anyText } from '../../../../fixtures/random-texts.ts';
import { letters, rendered, shownBy } from './rendered.ts';

describe('the Markdown of an answer', () => {
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
    ['a list in a thousand others', `${'- '.repeat(1_000)}x`, `${'-'.repeat(1_000)}x`],
    ['a rule of a thousand marks', '- '.repeat(1_000), '─'.repeat(40)],
    ['a rule in quotes', `${'> '.repeat(40)}---`, `${'>'.repeat(3)}---`],
    ['a word in quotes', `${'> '.repeat(40)}word`, `${'>'.repeat(3)}word`],
    ['a word in too many quotes', `${'> '.repeat(60)}word`, `${'>'.repeat(60)}word`],
    ['a paragraph without an end', 'word '.repeat(10_000), 'word'.repeat(10_000)],
    ['a word without an end', 'x'.repeat(30_000), 'x'.repeat(30_000)],
  ])('that has %s is shown all the same', (_, text, expected) => {
    // Beside the bars of quotes, which stand in each line of them.
    const shown = letters(text, '', 80).replaceAll(/[\s│]/g, '');
    expect(shown).toBe(expected);
  });

  test('is cut within a line that is too long, whether it comes at once or piece by piece', () => {
    const text = `**${'words '.repeat(2000)}${'漢'.repeat(9000)}👩${'x'.repeat(9000)}**\n`;
    const pieces = text.match(/[^]{1,1000}/gu) ?? [];
    const open = () => openRendered('', () => 80);
    expect(shownBy(open(), pieces)).toBe(shownBy(open(), [text]));
    expect(letters(text)).toMatch(/^\*\*words/);
  });
});

test('a line of words is no wider than the terminal', () => {
  const text = `${'漢字'.repeat(30)} ${'words and '.repeat(20)}\n\n- ${'items of '.repeat(10)}\n\n> ${'quotes '.repeat(10)}`;
  const widths = rendered(text, 'bob: ', 24)
    .split('\n')
    .map((line) => stringWidth(line));
  expect(Math.max(...widths)).toBeLessThanOrEqual(24);
});
