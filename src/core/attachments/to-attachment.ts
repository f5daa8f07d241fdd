import { createHash } from 'node:crypto';
import { defined } from '../../defined.ts';
import { MAX_ATTACHED_BYTES, type Attachment, type NewAttachment } from '../records/attachment.ts';
import { kindOf } from './first-bytes.ts';
import { imageSize } from './image-size.ts';
import { pdfPages } from './pdf-pages.ts';
import { megabytes } from '../reports/words/attachment-words.ts';

/** Why a file is not attached, in words that follow its name: `is a TIFF image: …`. */
export class NotAttached extends Error {
  override readonly name = 'NotAttached';
}

/**
 * A file as an attachment, by what its first bytes say that it is.
 * @throws {NotAttached} for a file of another kind, and for one that is too large
 */
export function toAttachment(bytes: Uint8Array): NewAttachment {
  const kind = kindOf(bytes);
  const type = kind?.type;
  if (type === undefined) {
    throw new NotAttached(
      `is ${kind?.name ?? 'a text'}: attach PNG, JPEG, GIF or WebP images, or PDF documents`,
    );
  }
  if (bytes.length > MAX_ATTACHED_BYTES) {
    throw new NotAttached(
      `has ${megabytes(bytes.length)}: at most ${megabytes(MAX_ATTACHED_BYTES)} can be attached`,
    );
  }
  const attachment: Attachment = {
    hash: hashOf(bytes),
    type,
    bytes: bytes.length,
    ...imageSize(type, bytes),
    ...(type === 'application/pdf' && defined({ pages: pdfPages(bytes) })),
  };
  return { attachment, bytes };
}

/** The name under which a file's bytes are kept. */
export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
