import { withOutputSchema } from '../agent/output-prompt.ts';
import type { RunStore } from '../runs/ports.ts';
import { firstMessages, toMessages } from '../conversation/messages.ts';
import type { Message } from '../runs/message.ts';
import type { Conversation } from './run-schemas.ts';

/** A run's conversation as it is at this moment; empty before it is opened. */
export async function conversationOf(id: string, runs: RunStore): Promise<Conversation> {
  const opened = await runs.opened(id);
  if (opened === undefined) return { system: '', messages: [] };
  const [first, turns] = await Promise.all([firstMessages(opened, runs), runs.turns(id)]);
  const messages = toMessages(first, turns, []);
  const system = withOutputSchema(opened.system, opened.output?.schema);
  return { system, messages: messages.map(toReport) };
}

/** What only a provider can read is left out: it is long, and says nothing to anybody else. */
function toReport(message: Message): Conversation['messages'][number] {
  switch (message.role) {
    case 'user':
      return message;
    case 'assistant':
      return { role: message.role, text: message.text, calls: message.calls };
    case 'tool': {
      const results = message.results.map(({ callId, name, text, isError }) => ({
        call_id: callId,
        name,
        text,
        is_error: isError,
      }));
      return { role: message.role, results };
    }
  }
}
