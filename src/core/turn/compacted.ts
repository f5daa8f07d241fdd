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
  const { results, summary, withoutSkills = false } = compaction;
  const isKept = ({ skill }: ToolResult) => skill !== undefined && !withoutSkills;
  let before = 0;
  const sent = messages.map((message) => {
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

export function withoutText(result: ToolResult): ToolResult {
  const text = leftOut(result);
  return text.length < result.text.length ? { ...result, text } : result;
}
