import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openPieces } from '../../../../../src/doors/cli/terminal/markdown/pieces.ts';

const row = (id: number) => `| ${id} | b |`;
const rows = (count: number) => Array.from({ length: count }, (_, id) => row(id)).join('\n');

const TEXTS: Record<string, string> = {
  'paragraphs, of which the second is apart': 'one\ntwo\n\n\nthree\n',
  'a list with an item of two lines, one deeper and one apart': '- one\n  more\n  - deeper\n\n- two\nend\n',
  'numbers, which begin a list within a paragraph with 1 alone': 'In\n2. no\n1. yes\n2. also\n',
  'a list that is followed by a paragraph': '- one\n\nafter\n',
  'code with its indent, behind a paragraph': 'See:\n  ```ts\n  a\n    b\n c\n  ```\nend\n',
  'a fence that only a longer one ends': '~~~~\n~~~\n~~~~~\nend\n',
  'no fence where a mark follows': '``` a`b\nend\n',
  'code within an item': '- one\n  ```\n  a\n  ```\n- two\n',
  'a table and what follows': `before\n| a | b |\n|---|:-:|\n${rows(2)}\nafter\n`,
  'a table of more rows than its columns are made for': `a | b\n--|--\n${rows(14)}\n`,
  'a head without rows': '| a |\n|---|\n\nend\n',
  'marks below a line with a bar, which are left to the parser': 'a | b\nc | d\n---\n',
};

test.each([
  ['at once', Infinity],
  ['a letter at a time', 1],
])('a text is cut into pieces as was accepted, whether it comes %s', async (_, size) => {
  const told = Object.entries(TEXTS).map(([what, text]) => {
    const pieces = openPieces();
    const parts = size === 1 ? [...text] : [text];
    const all = [...parts.flatMap((part) => pieces.add(part)), ...pieces.end()];
    return [`${what}:`, ...all.map((piece) => `  ${JSON.stringify(piece)}`)].join('\n');
  });
  await expect(`${told.join('\n')}\n`).toMatchFileSnapshot(
    join(import.meta.dirname, '../../accepted/pieces.txt'),
  );
});

test('what is not finished yet is the rest', () => {
  const pieces = openPieces();
  const rests = ['\n one', '\ntwo', '\n\n', '| a |\n|--|\n', '| 1 |\n| 2', ' |\n', `${rows(12)}\n`].map(
    (text) => {
      pieces.add(text);
      return pieces.rest();
    },
  );
  expect(rests).toEqual([
    'one',
    'one\ntwo',
    '',
    '| a |\n|--|\n',
    '| a |\n|--|\n| 1 |\n| 2',
    '| a |\n|--|\n| 1 |\n| 2 |\n',
    '',
  ]);
  pieces.end();
  expect(pieces.rest()).toBe('');
});

test('a line of more than 8,000 characters is cut at a blank, or else between characters, and a block at a line', () => {
  const cut = (text: string) => {
    const pieces = openPieces();
    return [...pieces.add(text), ...pieces.end()].map((piece) =>
      piece.kind === 'rows' ? piece : [piece.kind, (piece.kind === 'code' ? piece.line : piece.text).length],
    );
  };
  const x = (count: number) => 'x'.repeat(count);
  expect([x(8_000), x(8_001), `${x(7_999)} ${x(5)}`, `${x(8_000)} y`, `${x(7_999)}😀`].map(cut)).toEqual([
    [['blocks', 8_000]],
    [
      ['blocks', 8_000],
      ['blocks', 1],
    ],
    [
      ['blocks', 7_999],
      ['blocks', 5],
    ],
    [
      ['blocks', 8_000],
      ['blocks', 2],
    ],
    [
      ['blocks', 7_999],
      ['blocks', 2],
    ],
  ]);
  expect(cut(`\`\`\`\n${x(8_001)}\n\`\`\`\n`)).toEqual([
    ['code', 8_000],
    ['code', 1],
  ]);
  expect([cut(`${x(4_000)}\n${x(4_000)}\ny`), cut(`${x(4_000)}\n${x(4_001)}\ny`)]).toEqual([
    [['blocks', 8_003]],
    [
      ['blocks', 8_002],
      ['blocks', 1],
    ],
  ]);
});
