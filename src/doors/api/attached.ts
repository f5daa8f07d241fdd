import { NotAttached, toAttachment } from '../../core/attachments/to-attachment.ts';
import type { NewAttachment } from '../../core/records/attachment.ts';
import { assertNotTooMuch } from '../../places/attach.ts';
import { messageOf } from '../../errors.ts';
import { badField, Problem } from './problem.ts';

/** A file in the body of a request. @param field where it is in it @throws {Problem} 400 */
export function attachTo(bytes: Uint8Array, field: string): NewAttachment {
  try {
    return toAttachment(bytes);
  } catch (error) {
    if (error instanceof NotAttached) throw badField(field, error.message);
    throw error;
  }
}

/** @throws {Problem} 422 for more than a request may have */
export function checkTogether(files: readonly NewAttachment[]): void {
  try {
    assertNotTooMuch(files);
  } catch (error) {
    throw new Problem(422, messageOf(error));
  }
}
