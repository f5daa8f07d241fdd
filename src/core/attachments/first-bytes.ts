import type { AttachmentType } from '../records/attachment.ts';

/** How much of a file decides whether it is text, in bytes: as much as git looks at. */
const SNIFFED_BYTES = 8_000;

/** Files that are known by their first bytes, though they may hold no zero byte. */
const KINDS: readonly [name: string, start: RegExp, type?: AttachmentType][] = [
  ['a PNG image', /^\x89PNG\r\n/, 'image/png'],
  ['a JPEG image', /^\xff\xd8\xff/, 'image/jpeg'],
  ['a GIF image', /^GIF8[79]a/, 'image/gif'],
  ['a WebP image', /^RIFF[^]{4}WEBP/, 'image/webp'],
  ['a BMP image', /^BM[^]{4}\0\0\0\0/],
  ['a TIFF image', /^(II\*\0|MM\0\*)/],
  ['a PDF document', /^%PDF-/, 'application/pdf'],
];

/** What a file is. */
export interface FileKind {
  /** For people and models: `a PNG image`. */
  name: string;
  /** Absent: it cannot be attached. */
  type?: AttachmentType;
}

/**
 * The kind of a file by its first bytes, whatever its name; undefined for a text.
 * @param start its first 8,000 bytes, or more
 */
export function kindOf(start: Uint8Array): FileKind | undefined {
  const sniffed = latin1(start.subarray(0, 16));
  const [name, , type] = KINDS.find(([, pattern]) => pattern.test(sniffed)) ?? [];
  if (name !== undefined) return { name, ...(type !== undefined && { type }) };
  return isBinary(start) ? { name: 'a binary file' } : undefined;
}

function isBinary(start: Uint8Array): boolean {
  return start.subarray(0, SNIFFED_BYTES).includes(0);
}

/** A character for each byte. */
export function latin1({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}
