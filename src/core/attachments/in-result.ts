import { MAX_ATTACHED_BYTES, type NewAttachment } from '../records/attachment.ts';
import { inPlaceOf } from '../reports/words/attachment-words.ts';
import { NotAttached, toAttachment } from './to-attachment.ts';

/** Collects the images and documents of one result. */
export interface ResultFiles {
  /**
   * Takes a file.
   * @returns the words that stand for it in the text; undefined if its kind cannot be shown, or there is no room
   */
  take(base64: string): string | undefined;
  /** Those that were taken. */
  readonly files: NewAttachment[];
}

export function resultFiles(): ResultFiles {
  const files: NewAttachment[] = [];
  let left = MAX_ATTACHED_BYTES;
  return {
    files,
    take(base64) {
      const file = fileIn(base64);
      if (file === undefined || file.attachment.bytes > left) return undefined;
      left -= file.attachment.bytes;
      files.push(file);
      return inPlaceOf(file.attachment);
    },
  };
}

function fileIn(base64: string): NewAttachment | undefined {
  try {
    return toAttachment(Buffer.from(base64, 'base64'));
  } catch (error) {
    if (error instanceof NotAttached) return undefined;
    throw error;
  }
}
