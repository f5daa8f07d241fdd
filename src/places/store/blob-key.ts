import { createHash } from 'node:crypto';
import { StoreError } from '../../errors.ts';

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

/** The name of a blob that stands for its text: no two texts have the same. */
export function contentName(text: string): string {
  return `${contentHash(text)}.json`;
}

/**
 * @param place of the blob, for the message: `blob "a" in b`
 * @throws {StoreError} if the key ends in a content name and the text is not the one that it stands for
 */
export function checkBlobText(key: string, text: string, place: string): void {
  const hash = /\/(?<hash>[0-9a-f]{32})\.json$/.exec(key)?.groups?.['hash'];
  if (hash === undefined || hash === contentHash(text)) return;
  throw new StoreError(
    `${place} is damaged: its text has changed; restore it from a copy, or delete its run`,
  );
}

/** Half of a SHA-256. */
function contentHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
