import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keyEncoder, toLmdbKey, type LmdbKey } from '../../../../../src/places/local/store/lmdb/keys.ts';

const START = 3;

/** The bytes of a key, which begin somewhere in a larger buffer. */
function bytesOf(key: LmdbKey): Buffer {
  const target = Buffer.alloc(2_000, 0x7f);
  const end = keyEncoder.writeKey(key, target, START);
  // Nothing is written before or behind it.
  expect([target.subarray(0, START).every((byte) => byte === 0x7f), target[end]]).toEqual([true, 0x7f]);
  return target.subarray(START, end);
}

const text = fc.string({ unit: 'grapheme', maxLength: 60 });
const long = fc.constantFrom('', 'p', 'x'.repeat(255), 'x'.repeat(256), 'x'.repeat(700));

test('a key is read as it was written, wherever it lies', () => {
  fc.assert(
    fc.property(fc.oneof(text, long), text, (partition, sort) => {
      const key = toLmdbKey({ partition, sort });
      const bytes = bytesOf(key);
      const around = Buffer.concat([Buffer.alloc(START), bytes, Buffer.alloc(START, 1)]);
      expect(keyEncoder.readKey(around, START, START + bytes.length)).toEqual([partition, sort]);
    }),
  );
});

test('keys of a partition lie in the order of their sort keys, and behind those that begin alike is a place', () => {
  fc.assert(
    fc.property(text, text, text, (partition, one, other) => {
      const [first, second] = [bytesOf([partition, one]), bytesOf([partition, other])];
      expect(Math.sign(first.compare(second))).toBe(Math.sign(Buffer.from(one).compare(Buffer.from(other))));
      const [inside, behind] = [bytesOf([partition, one + other]), bytesOf([partition, one, true])];
      expect(inside.compare(behind)).toBe(-1);
      expect(behind).toEqual(Buffer.concat([first, Buffer.of(0xff)]));
    }),
  );
});
