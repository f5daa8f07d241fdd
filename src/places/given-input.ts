import type { PersonsMessage } from '../core/lifecycle/persons-message.ts';
import type { NewAttachment } from '../core/records/attachment.ts';

/** What a caller gives with a prompt, or with a later message. */
export interface GivenInput {
  /** Images and documents, each once. */
  files: NewAttachment[];
  /** Texts, each under its name. */
  texts: string[];
}

export const NOTHING_GIVEN: GivenInput = { files: [], texts: [] };

/** What an agent that has begun is told: the texts are part of the message. */
export function toMessage(
  said: string,
  { files, texts }: GivenInput,
): Required<Pick<PersonsMessage, 'files' | 'text'>> {
  return { text: [said, ...texts].filter((text) => text.trim() !== '').join('\n\n'), files };
}
