import { deflateRawSync, inflateRawSync } from 'node:zlib';

/**
 * From so many UTF-16 units on, a value is deflated. LMDB gives a value of more than half a page whole pages: one up to
 * here, and then two and more, of which deflating text saves more than half. It takes some 50 µs, so that values of
 * ordinary turns are left as they are (docs/decisions/large-values.md).
 */
const DEFLATED_FROM = 4_000;

/** Values are small: more memory for the search only takes longer to set up. */
const OPTIONS = { windowBits: 14, memLevel: 7 };

/** Behind the version of a deflated value, where a plain one has JSON, which never begins so. */
const DEFLATED = 'Z'.charCodeAt(0);
const BLANK = ' '.charCodeAt(0);

/**
 * How values lie in the file: a version and JSON, as the table stores them, with the JSON deflated where that is
 * shorter. Earlier releases deflated nothing.
 */
export const valueEncoder = {
  encode(stored: string): Buffer {
    const plain = Buffer.from(stored);
    if (stored.length < DEFLATED_FROM) return plain;
    const json = plain.indexOf(BLANK) + 1;
    const deflated = deflateRawSync(plain.subarray(json), OPTIONS);
    if (deflated.length + 1 >= plain.length - json) return plain;
    return Buffer.concat([plain.subarray(0, json), Buffer.of(DEFLATED), deflated]);
  },

  /** @param bytes that LMDB writes over later; they may lie in a longer buffer, of which `length` is the part that counts */
  decode(bytes: Buffer): string {
    const json = bytes.indexOf(BLANK) + 1;
    if (bytes[json] !== DEFLATED) return bytes.toString('utf8', 0, bytes.length);
    return (
      bytes.toString('latin1', 0, json) + inflateRawSync(bytes.subarray(json + 1, bytes.length)).toString()
    );
  },
};
