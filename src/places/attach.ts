import { createReadStream } from 'node:fs';
import { basename, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { kindOf } from '../core/attachments/first-bytes.ts';
import { NotAttached, toAttachment } from '../core/attachments/to-attachment.ts';
import { megabytes } from '../core/reports/words/attachment-words.ts';
import { MAX_ATTACHED_BYTES, type NewAttachment } from '../core/records/attachment.ts';
import type { GivenInput } from './given-input.ts';
import { toSection } from '../core/agent-schema/system-prompt.ts';
import { ConfigError } from '../errors.ts';
import { fileFault } from './local/workspace/file-fault.ts';

/** A file by its path, or the bytes of one. */
export type GivenFile = string | Uint8Array;

/**
 * Reads attachments: images and documents are shown to the model, texts become part of the message.
 * @param folder that paths are relative to
 * @throws {ConfigError} for a file that cannot be read or attached, and for more than a request may have
 */
export async function readGiven(given: readonly GivenFile[], folder: string): Promise<GivenInput> {
  const files = new Map<string, NewAttachment>();
  const texts: string[] = [];
  for (const [index, one] of given.entries()) {
    const name = typeof one === 'string' ? one : `attachment ${index + 1}`;
    const bytes = typeof one === 'string' ? await readNamed(one, folder) : one;
    if (kindOf(bytes) === undefined) {
      texts.push(
        toSection({ path: typeof one === 'string' ? basename(one) : name, text: textIn(bytes, name) }),
      );
      continue;
    }
    const file = attach(bytes, name);
    files.set(file.attachment.hash, file);
  }
  assertNotTooMuch([...files.values()]);
  return { files: [...files.values()], texts };
}

/** @throws {ConfigError} for more than a request may have */
export function assertNotTooMuch(files: readonly NewAttachment[]): void {
  const bytes = files.reduce((sum, { attachment }) => sum + attachment.bytes, 0);
  if (bytes <= MAX_ATTACHED_BYTES) return;
  throw new ConfigError(
    `the attachments have ${megabytes(bytes)} together: attach ${megabytes(MAX_ATTACHED_BYTES)} at most`,
  );
}

/** @throws {ConfigError} that begins with the name, for what cannot be attached */
export function attach(bytes: Uint8Array, name: string): NewAttachment {
  try {
    return toAttachment(bytes);
  } catch (error) {
    if (error instanceof NotAttached) throw new ConfigError(`${name} ${error.message}`);
    throw error;
  }
}

/** A device has no end, and a pipe no size. */
async function readNamed(path: string, folder: string): Promise<Uint8Array> {
  try {
    const bytes = await buffer(createReadStream(resolve(folder, path), { end: MAX_ATTACHED_BYTES }));
    if (bytes.length <= MAX_ATTACHED_BYTES) return bytes;
    throw new Error(`it has more than ${megabytes(MAX_ATTACHED_BYTES)}, which is the most`);
  } catch (error) {
    throw new ConfigError(`cannot read ${path}, which is to be attached: ${fileFault(error)}`, {
      cause: error,
    });
  }
}

function textIn(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ConfigError(`${name} is neither UTF-8 text nor an image or a document that can be attached`);
  }
}
