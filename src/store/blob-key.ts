import { StoreError } from '../errors.ts';

/** Inside the 255 bytes of a file name with room for a temporary one, and inside the 1,024 bytes of an S3 key. */
const MAX_SEGMENT_LENGTH = 200;
const MAX_KEY_LENGTH = 800;

/**
 * @throws {StoreError} unless the key is made of segments of `A-Z a-z 0-9 . _ -` with one slash between them, none of
 * them `.` or `..`: it then means the same in a URL and in a file system and never leads out of a folder
 */
export function checkBlobKey(key: string): void {
  const valid = key.length <= MAX_KEY_LENGTH && key.split('/').every(isSegment);
  if (!valid) {
    throw new StoreError(
      `${JSON.stringify(key)} is not a blob key: use segments of A-Z, a-z, 0-9, ".", "_" and "-" with a "/" between ` +
        `them, at most ${MAX_SEGMENT_LENGTH} characters each and ${MAX_KEY_LENGTH} in total`,
    );
  }
}

function isSegment(text: string): boolean {
  return text.length <= MAX_SEGMENT_LENGTH && /^[A-Za-z0-9._-]+$/.test(text) && text !== '.' && text !== '..';
}
