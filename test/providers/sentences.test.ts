import { expect, test } from 'vitest';
import { hasWord, pieces, sentencesOf } from '../../src/providers/offline/sentences.ts';

const word = (length: number) => 'x'.repeat(length);

test.each([
  ['of a bearable length', [word(600)], [word(600)]],
  ['of several lines', ['a\n b\t c '], ['a b c']],
  ['too long, at its lines', [`${word(300)}\n${word(300)}`], [word(300), word(300)]],
  [
    'too long, at its spaces',
    [`${word(400)} ${word(300)} ${word(200)}`],
    [word(400), `${word(300)} ${word(200)}`],
  ],
  ['too long, in the middle of a word', [word(1_300)], [word(600), word(600), word(100)]],
  ['too long, with a space in front of it', [` ${word(600)}`], [word(599), 'x']],
  ['of nothing', [' \n '], []],
])('a text is one piece, or several: %s', (_, [text = ''], expected) => {
  expect(pieces(text)).toEqual(expected);
});

test('a line has words where it has letters or numbers, and no binary data', () => {
  expect(['a', '7', 'é', '日', '--', '', 'a\u0000', 'a\ufffd', 'a\tb'].map(hasWord)).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
    false,
    false,
    true,
  ]);
});

test('sentences have three words at least, or as much of another script, and lead up to no list', () => {
  const texts = (block: string) => sentencesOf(block).map(({ text }) => text);
  expect(texts('It works well. No way. It has these:')).toEqual(['It works well.']);
  expect(texts('これは文章です。短い。')).toEqual(['これは文章です。']);
  expect(texts('See e.g. the docs here. Dr. Who came by.')).toEqual([
    'See e.g. the docs here.',
    'Dr. Who came by.',
  ]);
  expect(texts('one two three\nfour five six\nseven eight nine\nten eleven twelve')).toHaveLength(4);
  expect(texts('one two three\nfour five six\nseven eight nine')).toHaveLength(1);
});
