import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { described } from '../../../src/core/reports/words/attachment-words.ts';
import { kindOf } from '../../../src/core/attachments/first-bytes.ts';
import { toAttachment } from '../../../src/core/attachments/to-attachment.ts';
import { gif, jpeg, packedPdf, pdf, png, webp } from '../../fixtures/images.ts';

const attach = (bytes: Uint8Array) => {
  const { hash: _, ...facts } = toAttachment(bytes).attachment;
  return facts;
};

describe('an attachment', () => {
  test.each([
    ['a PNG', png(1200, 800), 'image/png'],
    ['a GIF', gif(1200, 800), 'image/gif'],
    ['a JPEG', jpeg(1200, 800), 'image/jpeg'],
    [
      'a JPEG with a thumbnail and padding ahead of its frame',
      jpeg(1200, 800, ['\xe1\0\x08Exif\0\0', '\xff\xdb\0\x03\0']),
      'image/jpeg',
    ],
    [
      'a JPEG with tables and bare markers ahead of its frame',
      jpeg(1200, 800, ['\xc4\0\x04\0\0', '\x01', '\xc8\0\x03\0', '\xcc\0\x03\0', '\xd0', '\xd8']),
      'image/jpeg',
    ],
    ['a lossy WebP', webp('VP8 ', 1200, 800), 'image/webp'],
    ['a lossless WebP', webp('VP8L', 1200, 800), 'image/webp'],
    ['an extended WebP', webp('VP8X', 1200, 800), 'image/webp'],
  ])('is known by its first bytes, with its size: %s', (_, bytes, type) => {
    expect(attach(bytes)).toEqual({ type, bytes: bytes.length, width: 1200, height: 800 });
  });

  test('that is a PDF has a number of pages, packed or not', () => {
    expect([attach(pdf('one', 'two', 'three')), attach(packedPdf(12))]).toMatchObject([
      { type: 'application/pdf', pages: 3 },
      { type: 'application/pdf', pages: 12 },
    ]);
  });

  test('that is a PDF made to be searched for long has no pages', () => {
    const names = Buffer.from(`%PDF-1.7${'/ObjStm stream\n'.repeat(300_000)}`);
    expect(attach(names)).toEqual({ type: 'application/pdf', bytes: names.length });
  });

  test('goes by the hash of its bytes', () => {
    const bytes = png(1, 1);
    expect(toAttachment(bytes).attachment.hash).toBe(createHash('sha256').update(bytes).digest('hex'));
  });

  test('has no size where its header ends too soon', () => {
    expect(attach(png(1200, 800).subarray(0, 18))).toEqual({ type: 'image/png', bytes: 18 });
  });

  test.each([
    ['\x89PNG\r\n', { name: 'a PNG image', type: 'image/png' }],
    ['\xff\xd8\xff', { name: 'a JPEG image', type: 'image/jpeg' }],
    ['GIF87a', { name: 'a GIF image', type: 'image/gif' }],
    ['RIFF\0\0\0\0WEBP', { name: 'a WebP image', type: 'image/webp' }],
    ['BM1234\0\0\0\0', { name: 'a BMP image' }],
    ['MM\0*', { name: 'a TIFF image' }],
    ['%PDF-', { name: 'a PDF document', type: 'application/pdf' }],
    [`${'a'.repeat(7_999)}\0`, { name: 'a binary file' }],
    [`${'a'.repeat(8_000)}\0`, undefined],
  ])('is of the kind that its first bytes say', (start, kind) => {
    expect(kindOf(Buffer.from(start, 'latin1'))).toEqual(kind);
  });

  test.each([
    ['II*\0', 'is a TIFF image: attach PNG, JPEG, GIF or WebP images, or PDF documents'],
    ['a\0b', 'is a binary file: attach PNG, JPEG, GIF or WebP images, or PDF documents'],
    ['hello', 'is a text: attach PNG, JPEG, GIF or WebP images, or PDF documents'],
  ])('cannot be %j', (start, message) => {
    expect(() => toAttachment(Buffer.from(start, 'latin1'))).toThrow(message);
  });

  test('has 24 MB at most', () => {
    expect(() => toAttachment(png(1, 1, 25 * 2 ** 20))).toThrow('has 25 MB: at most 24 MB can be attached');
  });

  test('of any bytes leads to a record, or to words why there is none', () => {
    const starts = [png(3, 4), gif(3, 4), jpeg(3, 4), webp('VP8X', 3, 4), packedPdf(2), Buffer.from('')];
    fc.assert(
      fc.property(
        fc.constantFrom(...starts),
        fc.nat(40),
        fc.uint8Array({ maxLength: 200 }),
        (start, cut, rest) => {
          const bytes = Buffer.concat([start.subarray(0, start.length - cut), rest]);
          if (kindOf(bytes)?.type === undefined) expect(() => toAttachment(bytes)).toThrow('attach PNG');
          else expect(attach(bytes)).toMatchObject({ bytes: bytes.length });
        },
      ),
    );
  });
});

describe('the description of an attachment', () => {
  test.each([
    [{ type: 'image/png', bytes: 245_760, width: 1200, height: 800 }, 'image/png, 1200 x 800, 240 KB'],
    [{ type: 'image/gif', bytes: 12 }, 'image/gif, 12 bytes'],
    [{ type: 'application/pdf', bytes: 3_900_000, pages: 1 }, 'application/pdf, 1 page, 3.7 MB'],
    [{ type: 'application/pdf', bytes: 24 * 2 ** 20, pages: 1200 }, 'application/pdf, 1200 pages, 24 MB'],
  ] as const)('says what is known: %j', (attachment, words) => {
    expect(described({ ...attachment, hash: '' })).toBe(words);
  });
});
