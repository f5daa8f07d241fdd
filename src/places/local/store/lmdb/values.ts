import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** A version and a value as they are kept under a key. */
export interface StoredItem {
  version: number;
  /** JSON. */
  text: string;
  /** Whether less room on the disk is worth more time. */
  savesRoom?: boolean | undefined;
}

/**
 * From so many UTF-16 units on, a value is deflated. LMDB gives a value of more than half a page pages of its own
 * (docs/decisions/large-values.md). It takes some 50 µs, so that values of ordinary turns are left as they are.
 */
const DEFLATED_FROM = 4_000;

/** The same of values of which room is to be saved. */
const SAVING_DEFLATED_FROM = 500;

/** Values are small: more memory for the search only takes longer to set up. */
const OPTIONS = { windowBits: 14, memLevel: 7 };

/** Behind the version of a deflated value, where a plain one has JSON, which never begins so. */
const DEFLATED = 'Z'.charCodeAt(0);
const BLANK = ' '.charCodeAt(0);

/**
 * How values lie in the file: the version, a blank, and the JSON, deflated where that is shorter. Earlier releases
 * deflated nothing.
 */
export const valueEncoder = {
  encode({ version, text, savesRoom = false }: StoredItem): Buffer {
    const plain = Buffer.from(`${version} ${text}`);
    if (text.length < (savesRoom ? SAVING_DEFLATED_FROM : DEFLATED_FROM)) return plain;
    const json = plain.indexOf(BLANK) + 1;
    const deflated = deflateRawSync(plain.subarray(json), OPTIONS);
    if (deflated.length + 1 >= plain.length - json) return plain;
    return Buffer.concat([plain.subarray(0, json), Buffer.of(DEFLATED), deflated]);
  },

  /** @param bytes that LMDB writes over later; they may lie in a longer buffer, of which `length` is the part that counts */
  decode(bytes: Buffer): StoredItem {
    const json = bytes.indexOf(BLANK) + 1;
    const version = Number(bytes.toString('latin1', 0, json));
    const isDeflated = bytes[json] === DEFLATED;
    const text = isDeflated
      ? inflateRawSync(bytes.subarray(json + 1, bytes.length)).toString()
      : bytes.toString('utf8', json, bytes.length);
    return { version, text };
  },
};
