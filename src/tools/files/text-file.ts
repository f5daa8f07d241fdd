import { RefusedCall } from '../../core/tool-contracts/arguments.ts';

/** How much of a large file is in memory at a time. */
export const CHUNK_BYTES = 4 * 1024 ** 2;

/** The byte that ends a line. */
export const NEWLINE = 10;

/** How much of a file decides whether it is text, in bytes: as much as git looks at. */
const SNIFFED_BYTES = 8_000;

/** Files that a model may get to see one day, by how they begin. */
const KINDS: readonly [kind: string, start: RegExp][] = [
  ['a PNG image', /^\x89PNG\r\n/],
  ['a JPEG image', /^\xff\xd8\xff/],
  ['a GIF image', /^GIF8[79]a/],
  ['a WebP image', /^RIFF[^]{4}WEBP/],
  ['a BMP image', /^BM[^]{4}\0\0\0\0/],
  ['a TIFF image', /^(II\*\0|MM\0\*)/],
  ['a PDF document', /^%PDF-/],
];

/** @throws {RefusedCall} that names what the file is, where that is no text */
export function checkIsText(start: Uint8Array, path: string): void {
  const sniffed = toLatin1(start.subarray(0, 16));
  const kind = KINDS.find(([, pattern]) => pattern.test(sniffed))?.[0];
  if (kind !== undefined) {
    throw new RefusedCall(`"${path}" is ${kind}: images and documents cannot be read, only text`);
  }
  if (isBinary(start)) throw new RefusedCall(`"${path}" is a binary file: only text can be read`);
}

export function isBinary(start: Uint8Array): boolean {
  return start.subarray(0, SNIFFED_BYTES).includes(0);
}

/**
 * A text with its encoding: UTF-8, or Latin-1 where the bytes are no UTF-8. Encoded again, both give the same bytes.
 * @param isCut whether the bytes may end in the middle of a character, which is then left out
 */
export function decode(bytes: Uint8Array, isCut = false): { text: string; encoding: 'utf8' | 'latin1' } {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return { text: decoder.decode(bytes, { stream: isCut }), encoding: 'utf8' };
  } catch {
    return { text: toLatin1(bytes), encoding: 'latin1' };
  }
}

/** @throws {RefusedCall} for what the encoding has no bytes for */
export function encode(text: string, encoding: 'utf8' | 'latin1', path: string): Uint8Array {
  if (encoding === 'utf8') return new TextEncoder().encode(text);
  const foreign = /[^\0-\xff]/u.exec(text)?.[0];
  if (foreign !== undefined) {
    throw new RefusedCall(`"${path}" is encoded in Latin-1, which has no "${foreign}"`);
  }
  return Buffer.from(text, 'latin1');
}

function toLatin1({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}
