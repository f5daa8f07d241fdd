import { kindOf, latin1, type FileKind } from '../../core/attachments/first-bytes.ts';
import { RefusedCall } from '../../core/tool-contracts/arguments.ts';

/** How much of a large file is in memory at a time. */
export const CHUNK_BYTES = 4 * 1024 ** 2;

/** The byte that ends a line. */
export const NEWLINE = 10;

/** A file that is no text. */
export class NotText extends RefusedCall {
  constructor(
    path: string,
    readonly kind: FileKind,
  ) {
    super(`"${path}" is ${kind.name}: only text can be read`);
  }
}

/** @throws {NotText} that names what the file is, where that is no text */
export function checkIsText(start: Uint8Array, path: string): void {
  const kind = kindOf(start);
  if (kind !== undefined) throw new NotText(path, kind);
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
    return { text: latin1(bytes), encoding: 'latin1' };
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
