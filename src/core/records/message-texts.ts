import type { Attachment, WithAttachments } from './attachment.ts';
import type { Message } from './message.ts';

/** Of UTF-8: the usual rule of thumb for English text, if nothing better is known. */
export const BYTES_PER_TOKEN = 4;

/** Everything in a message that a provider may count: each text, and the names and ids of calls. */
export function textsOf(message: Message): string[] {
  switch (message.role) {
    case 'user':
      return [message.text];
    case 'assistant':
      return [
        message.text,
        ...message.calls.flatMap(({ id, name, arguments: args }) => [id, name, JSON.stringify(args)]),
        ...(message.providerContent === undefined ? [] : [JSON.stringify(message.providerContent)]),
      ];
    case 'tool':
      return message.results.flatMap(({ callId, name, text }) => [callId, name, text]);
  }
}

/** What is attached to messages and to results, in order. */
export function attachmentsIn(messages: readonly Message[]): Attachment[] {
  const found: Attachment[] = [];
  const add = ({ attachments }: WithAttachments) => {
    if (attachments !== undefined) found.push(...attachments);
  };
  // Every turn calls this for its whole conversation, which mostly has no attachments.
  for (const message of messages) {
    if (message.role === 'tool') message.results.forEach(add);
    else if (message.role === 'user') add(message);
  }
  return found;
}

/** Their length as UTF-8. */
export function bytesOf(messages: readonly Message[]): number {
  return messages.flatMap(textsOf).reduce((total, text) => total + Buffer.byteLength(text), 0);
}

/** The same without calls and the parts that only providers read, which is quick however long a conversation is. */
export function textBytesOf(messages: readonly Message[]): number {
  return messages.reduce(
    (bytes, message) =>
      message.role === 'tool' ? message.results.reduce(addText, bytes) : addText(bytes, message),
    0,
  );
}

function addText(bytes: number, { text }: { text: string }): number {
  return bytes + Buffer.byteLength(text);
}
