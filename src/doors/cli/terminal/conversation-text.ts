import type { Attachment } from '../../../core/records/attachment.ts';
import type { Conversation } from '../../../core/reports/run-schemas.ts';
import { described, inPlaceOf } from '../../../core/reports/words/attachment-words.ts';
import { oneLine, printable } from './printable.ts';

/** A conversation as `cadre show --messages` prints it: a section for each message and result. */
export function conversationText({ system, messages, captured = [] }: Conversation): string {
  const parts = system === '' ? [] : [section('system', system)];
  for (const message of messages) {
    if (message.role === 'tool') {
      parts.push(
        ...message.results.map(({ name, text, is_error, attachments = [] }) =>
          section(
            is_error ? `result of ${name} (error)` : `result of ${name}`,
            withAttachments(text, attachments),
          ),
        ),
      );
      continue;
    }
    const calls = message.role === 'assistant' ? message.calls : [];
    const lines = calls.map((call) => `→ ${call.name} ${JSON.stringify(call.arguments)}`);
    const { sources = [] } = (message.role === 'assistant' && message.turn) || {};
    if (sources.length > 0)
      lines.push('Sources:', ...sources.map(({ title, url }) => oneLine(`${title}, ${url}`)));
    const text = message.role === 'user' ? withAttachments(message.text, message.attachments) : message.text;
    parts.push(section(message.role, [text, ...lines].filter((line) => line !== '').join('\n')));
  }
  for (const { text, fork = 'a fork', cancelled } of captured) {
    parts.push(section(cancelled ? 'captured and cancelled' : `captured for ${fork}`, text));
  }
  return parts.join('\n');
}

/** A text, and what was shown beside it unless the text says so itself. */
function withAttachments(text: string, attachments: readonly Attachment[] = []): string {
  const words = attachments.filter((one) => !text.includes(described(one))).map((one) => inPlaceOf(one));
  return [text, ...words].filter((line) => line !== '').join('\n');
}

function section(title: string, text: string): string {
  return `--- ${oneLine(title)} ---\n${printable(text.trimEnd())}\n`;
}
