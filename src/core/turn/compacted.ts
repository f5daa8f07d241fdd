import type { Said } from '../records/attachment.ts';
import type { Compaction } from '../records/compaction.ts';
import type { LoadedSkill, Message, ToolResult } from '../records/message.ts';
import { leftOut } from './cut-text.ts';

/**
 * The messages as they are sent. A skill that was loaded stays: what is left out says where the model's task stands, and
 * the skill how to go on with it.
 * @param own which of them is the run's own first message
 */
export function compacted(
  messages: readonly Message[],
  own: number,
  compaction: Compaction | undefined,
): Message[] {
  if (compaction === undefined) return [...messages];
  const { results, summary, withoutSkills = false, attachments = 0 } = compaction;
  const isKept = ({ skill }: ToolResult) => skill !== undefined && !withoutSkills;
  let before = 0;
  const sent = withoutAttachments(messages, attachments).map((message) => {
    if (message.role !== 'tool' || before >= results) return message;
    const from = before;
    before += message.results.length;
    return {
      ...message,
      results: message.results.map((result, index) =>
        from + index < results && !isKept(result) ? withoutText(result) : result,
      ),
    };
  });
  if (summary === undefined) return sent;
  const { skills = [] } = summary;
  const kept = withoutSkills ? '' : skills.map(toText).join('');
  const text = `[The conversation up to here was too long. A summary of it:]\n\n${summary.text}${kept}`;
  return [
    ...sent.slice(own, own + 1),
    { role: 'user', text, ...(skills.length > 0 && { skills }) },
    ...sent.slice(summary.messages),
  ];
}

function toText({ name, text }: LoadedSkill): string {
  return `\n\n[The skill "${name}", which was loaded in it:]\n\n${text}`;
}

/** Words in place of the first attachments of a conversation. */
function withoutAttachments(messages: readonly Message[], count: number): readonly Message[] {
  if (count === 0) return messages;
  let left = count;
  const changed = ({ text, attachments = [] }: Said) => {
    const gone = attachments.slice(0, left);
    left -= gone.length;
    if (gone.length === 0) return {};
    const words = gone.map(({ type, bytes }) => `[${type} left out: ${bytes} bytes]`);
    return { text: [text, ...words].join('\n\n'), attachments: attachments.slice(gone.length) };
  };
  return messages.map((message) => {
    if (message.role === 'assistant') return message;
    if (message.role === 'user') return { ...message, ...changed(message) };
    return { ...message, results: message.results.map((result) => ({ ...result, ...changed(result) })) };
  });
}

export function withoutText(result: ToolResult): ToolResult {
  const { attachments, ...words } = result;
  const text = leftOut(result);
  if (text.length < result.text.length) return { ...words, text };
  return attachments === undefined ? result : words;
}
