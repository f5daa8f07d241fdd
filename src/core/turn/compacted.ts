import type { Compaction } from '../records/compaction.ts';
import type { Message, ToolResult } from '../records/message.ts';
import { leftOut } from './cut-text.ts';

/**
 * The messages as they are sent.
 * @param own which of them is the run's own first message
 */
export function compacted(
  messages: readonly Message[],
  own: number,
  compaction: Compaction | undefined,
): Message[] {
  if (compaction === undefined) return [...messages];
  const { results, summary } = compaction;
  let before = 0;
  const sent = messages.map((message) => {
    if (message.role !== 'tool' || before >= results) return message;
    const from = before;
    before += message.results.length;
    return {
      ...message,
      results: message.results.map((result, index) =>
        from + index < results ? withoutText(result) : result,
      ),
    };
  });
  if (summary === undefined) return sent;
  const text = `[The conversation up to here was too long. A summary of it:]\n\n${summary.text}`;
  return [...sent.slice(own, own + 1), { role: 'user', text }, ...sent.slice(summary.messages)];
}

export function withoutText(result: ToolResult): ToolResult {
  const text = leftOut(result);
  return text.length < result.text.length ? { ...result, text } : result;
}
