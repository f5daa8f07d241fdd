/** No UTF-8 begins with it. */
const UTF16_MARK = Buffer.of(0xff, 0xfe);

/**
 * The text as bytes that give back exactly this text: UTF-8, or UTF-16 with its byte order mark for the few texts that
 * have no UTF-8, because they were cut in the middle of a surrogate pair.
 */
export function toBytes(text: string): { bytes: Buffer; charset: 'utf-8' | 'utf-16' } {
  return /\p{Surrogate}/u.test(text)
    ? { bytes: Buffer.concat([UTF16_MARK, Buffer.from(text, 'utf16le')]), charset: 'utf-16' }
    : { bytes: Buffer.from(text), charset: 'utf-8' };
}

/** The text that `toBytes` made the bytes of. */
export function fromBytes(bytes: Buffer): string {
  return bytes.subarray(0, UTF16_MARK.length).equals(UTF16_MARK)
    ? bytes.toString('utf16le', UTF16_MARK.length)
    : bytes.toString('utf8');
}
