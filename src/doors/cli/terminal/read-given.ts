import { NOTHING_GIVEN, type GivenInput } from '../../../places/given-input.ts';
import type { RunIo } from './io.ts';

/** What a person gives a command: a text, and what is attached to it. */
export interface TypedInput {
  text: string;
  given: GivenInput;
}

/**
 * Reads attachments, one of which may be what was piped in.
 * @param piped a text, or an image or a document
 * @throws {ConfigError} as `readGiven` does
 */
export async function readGivenTo(
  piped: string | Uint8Array,
  attach: readonly string[] | undefined,
  io: Pick<RunIo, 'cwd'>,
): Promise<TypedInput> {
  const text = typeof piped === 'string' ? piped : '';
  const files = [...(typeof piped === 'string' ? [] : [piped]), ...(attach ?? [])];
  if (files.length === 0) return { text, given: NOTHING_GIVEN };
  const { readGiven } = await import('../../../places/attach.ts');
  return { text, given: await readGiven(files, io.cwd) };
}
