import { expect, test } from 'vitest';
import { described, inPlaceOf, megabytes } from '../../../src/core/reports/words/attachment-words.ts';

const image = { name: 'a', hash: '', type: 'image/png' as const };

test.each([
  [1, '1 byte'],
  [999, '999 bytes'],
  [1_000, '1 KB'],
  [1_535, '1 KB'],
  [1_536, '2 KB'],
  [1_000 * 1_024 - 1, '1000 KB'],
  [1_000 * 1_024, '1 MB'],
  [3.85 * 2 ** 20, '3.9 MB'],
])('%d bytes of an attachment are %s', (bytes, words) => {
  expect(described({ ...image, bytes })).toBe(`image/png, ${words}`);
});

test('an attachment is described by all that is known of it', () => {
  const pages = { ...image, type: 'application/pdf' as const, bytes: 1 };
  expect([
    described({ ...image, bytes: 1, width: 3, height: 4 }),
    described({ ...image, bytes: 1, width: 3 }),
    described({ ...pages, pages: 1 }),
    described({ ...pages, pages: 2 }),
    inPlaceOf({ ...image, bytes: 1 }),
    inPlaceOf({ ...image, bytes: 1 }, 'left out'),
    megabytes(2 ** 21),
  ]).toEqual([
    'image/png, 3 x 4, 1 byte',
    'image/png, 1 byte',
    'application/pdf, 1 page, 1 byte',
    'application/pdf, 2 pages, 1 byte',
    '[image/png, 1 byte]',
    '[image/png, 1 byte, left out]',
    '2 MB',
  ]);
});
