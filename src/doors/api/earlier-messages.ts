import type { Attachment } from '../../core/records/attachment.ts';
import type { Message } from '../../core/records/message.ts';

/** A text in a conversation that a client keeps. */
export interface Spoken {
  role: 'user' | 'assistant';
  text: string;
  /** Of a user; absent: none. */
  attachments?: Attachment[];
}

/**
 * The messages before a prompt, as the history of a run. Instructions of a client count as a user's words: an agent's
 * own instructions are in its file. Neighbouring messages of one side are joined, since some models want the sides to
 * take turns.
 */
export function toEarlier(said: readonly Spoken[]): Message[] {
  const earlier: Message[] = [];
  for (const { role, text, attachments = [] } of said) {
    if (text.trim() === '' && attachments.length === 0) continue;
    const before = earlier.at(-1);
    if (before?.role === role) before.text += `\n\n${text}`;
    else earlier.push(role === 'assistant' ? { role, text, calls: [] } : { role, text });
    const last = earlier.at(-1);
    if (last?.role === 'user' && attachments.length > 0) {
      last.attachments = [...(last.attachments ?? []), ...attachments];
    }
  }
  return earlier;
}
