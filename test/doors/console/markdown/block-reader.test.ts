import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BlockReader } from '../../../../src/doors/console/shared/markdown/block-reader.ts';

function readAll(reader: BlockReader, text: string): void {
  do reader.read(text);
  while (reader.rest !== '');
}

function blocksOf(text: string) {
  const reader = new BlockReader();
  readAll(reader, text);
  return reader.blocks;
}

const PARTS = [
  '# Title\n',
  'A paragraph\n',
  'of two lines\n',
  '\n',
  '- item\n',
  '  - within\n',
  '1. first\n',
  '```js\n',
  'code();\n',
  '```\n',
  '> quote\n',
  '| a | b |\n',
  '|---|---|\n',
  '| 1 | 2 |\n',
  '    indented\n',
  '<div>\n',
  '---\n',
  '===\n',
  '[a]: https://example.org\n',
  'to [a] and [b][a]\n',
  '***strong*** text\n',
  '#tag\n',
  '<prefix>\n',
];

// What was read of these as a rule, a heading, a table or a paragraph belonged to the block above.
const JOINED = [
  '|---|---|\nof two lines\n|---|---|\n- item\n',
  'A paragraph\n***strong*** text\n',
  '- item\n#tag\n',
  '> quote\n<prefix>\n',
  '1. first\n\n1. first\n',
];

test('a text that grows is read as it would be as a whole', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...PARTS), { maxLength: 30 }),
      fc.integer({ min: 1, max: 40 }),
      (parts, step) => {
        const text = parts.join('');
        const reader = new BlockReader();
        for (let end = 0; end < text.length; end += step) readAll(reader, text.slice(0, end));
        readAll(reader, text);
        expect(reader.blocks).toEqual(blocksOf(text));
      },
    ),
    { examples: JOINED.map((text) => [[text], 1]) },
  );
});

test('only the last block of a text that grows is read again', () => {
  const reader = new BlockReader();
  const text = '# One\n\ntwo\n\n- three';
  reader.read(text);
  const before = reader.blocks;
  reader.read(`${text}\n- four`);
  expect(reader.blocks.map((block, index) => block === before[index])).toEqual([true, true, false]);
});

test('another text is read from its beginning', () => {
  const reader = new BlockReader();
  reader.read('one\n\ntwo');
  reader.read('three');
  expect(reader.blocks).toEqual(blocksOf('three'));
});

test('a long text is read in parts, and none of it is left out', () => {
  const text = Array.from({ length: 4_000 }, (_, index) => `Paragraph **${index}**\n\n`).join('');
  const reader = new BlockReader();
  reader.read(text);
  expect(reader.rest.length).toBeGreaterThan(text.length / 2);
  readAll(reader, text);
  expect(reader.blocks).toHaveLength(4_000);
  const code = `\`\`\`\n${'line\n\n'.repeat(20_000)}\`\`\`\n\nbehind it`;
  expect(blocksOf(code).map(({ token }) => token.type)).toEqual(['code', 'paragraph']);
});

test.each(['- '.repeat(40), '* * '.repeat(20)])('%s is a rule, and not lists within each other', (text) => {
  expect(blocksOf(text).map(({ token }) => token.type)).toEqual(['hr']);
});

test('quotes and lists that are nested too deeply are left as they are written', () => {
  for (const text of ['>'.repeat(50_000), '+ '.repeat(50_000), '1. > '.repeat(20_000)]) {
    const blocks = blocksOf(text);
    const why = 'too many quotes or lists within each other';
    expect(blocks.every(({ token }) => token.type === 'unread' && token.why === why)).toBe(true);
    expect(blocks.map(({ token }) => token.type === 'unread' && token.text).join('')).toBe(text);
  }
});
