import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { StoreError } from '../../../src/errors.ts';
import { contentName } from '../../../src/places/store/blob-key.ts';
import type { Blobs } from '../../../src/places/store/blobs.ts';
import { cases } from '../../fixtures/cases.ts';

/** The behaviour of every blob store. */
export function describeBlobs(name: string, open: () => Promise<Blobs>): void {
  describe(name, () => {
    let blobs: Blobs;
    beforeAll(async () => {
      blobs = await open();
    });

    test.each([
      ['an empty text', ''],
      ['characters of every length in UTF-8', 'a é € 😀 \u0000 \r\n \u2028 \uffff'],
      ['a byte order mark', '\ufeffmarked'],
      ['half a surrogate pair', 'cut \ud83d'],
      ['the other half', '\ude00 cut'],
      ['2 MB', '0123456789abcde\n'.repeat(131_072)],
    ])('gives back %s as it was', async (title, text) => {
      const key = `texts/${title.replaceAll(/[^a-zA-Z0-9]/g, '-')}`;
      await blobs.put(key, text);
      expect(await blobs.get(key)).toBe(text);
    });

    test('gives back any text', async () => {
      const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
      await fc.assert(
        fc.asyncProperty(fc.string({ unit }), async (text) => {
          await blobs.put('any', text);
          expect(await blobs.get('any')).toBe(text);
        }),
        { numRuns: cases(50) },
      );
    });

    test('takes the same blob again', async () => {
      await blobs.put('run-1/turn-1', 'text');
      await blobs.put('run-1/turn-1', 'text');
      expect(await blobs.get('run-1/turn-1')).toBe('text');
    });

    test('keeps a blob whole while many write and read it at once', async () => {
      const text = 'x'.repeat(300_000);
      await blobs.put('shared', text);
      const reads = await Promise.all(
        Array.from({ length: 20 }, async (_, index) => {
          if (index % 2) await blobs.put('shared', text);
          return blobs.get('shared');
        }),
      );
      expect(reads.every((read) => read === text)).toBe(true);
    });

    test('tells keys apart by every segment', async () => {
      const keys = ['a', 'b/a', 'b/a.txt', 'b/c/a', 'b/.a', 'b/..a', '-_.Z9'];
      for (const key of keys) await blobs.put(key, `text of ${key}`);
      for (const key of keys) expect(await blobs.get(key)).toBe(`text of ${key}`);
    });

    test('names the key of a blob that is not there', async () => {
      await expect(blobs.get('run-1/nowhere')).rejects.toThrow(/^no blob ".*run-1\/nowhere" in /);
      await expect(blobs.get('run-1/nowhere')).rejects.toBeInstanceOf(StoreError);
    });

    test('refuses a blob whose text is not the one that it is named for', async () => {
      const name = contentName('"written"');
      await blobs.put(`run-1/${name}`, '"written"');
      expect(await blobs.get(`run-1/${name}`)).toBe('"written"');
      await blobs.put(`run-1/${name}`, '"changed"');
      await expect(blobs.get(`run-1/${name}`)).rejects.toThrow(
        new RegExp(`^blob ".*run-1/${name}" in .* is damaged: its text has changed; `),
      );
      await expect(blobs.get(`run-1/${name}`)).rejects.toBeInstanceOf(StoreError);
    });

    test('removes a blob and no other, as often as asked', async () => {
      await blobs.put('gone/a', 'a');
      await blobs.put('gone/b', 'b');
      await blobs.delete('gone/a');
      await blobs.delete('gone/a');
      await expect(blobs.get('gone/a')).rejects.toThrow('no blob');
      expect(await blobs.get('gone/b')).toBe('b');
      await blobs.put('gone/a', 'back');
      expect(await blobs.get('gone/a')).toBe('back');
    });

    test.each([
      ['an empty key', ''],
      ['an absolute path', '/etc/passwd'],
      ['a parent folder', '../a'],
      ['a parent folder inside', 'a/../../b'],
      ['the folder itself', '.'],
      ['an empty segment', 'a//b'],
      ['a slash at the end', 'a/'],
      ['a backslash', 'a\\..\\b'],
      ['a zero byte', 'a\u0000'],
      ['a line break at the end', 'a\n'],
      ['a space', 'a b'],
      ['an escape', '%2e%2e/a'],
      ['a letter outside of ASCII', 'é'],
      ['a temporary name', 'a~b'],
      ['a long segment', 'x'.repeat(201)],
      ['a long path', 'x/'.repeat(400) + 'x'],
    ])('refuses %s as a key', async (_title, key) => {
      const message = `${JSON.stringify(key)} is not a blob key`;
      await expect(blobs.put(key, 'text')).rejects.toThrow(message);
      await expect(blobs.get(key)).rejects.toThrow(message);
      await expect(blobs.delete(key)).rejects.toThrow(message);
      await expect(blobs.get(key)).rejects.toBeInstanceOf(StoreError);
    });
  });
}
