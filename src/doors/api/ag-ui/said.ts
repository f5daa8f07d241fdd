import type { Spoken } from '../earlier-messages.ts';
import type { RunInput } from './run-input.ts';

/** What was said in a conversation, as its client has it. */
export interface ClientSaid extends Spoken {
  /** Where it is among the messages of the client. */
  index: number;
  /** Of a message of the agent. */
  id?: string;
  isPrompt: boolean;
}

/**
 * The texts of users and of the agent. Calls, their results and the messages of agents below it are its own record,
 * and so is everything that a client shows before its user has said anything.
 */
export function saidIn(messages: RunInput['messages']): ClientSaid[] {
  const said = messages.flatMap((message, index): ClientSaid[] => {
    switch (message.role) {
      case 'user':
      case 'system':
      case 'developer': {
        const text = textOf(message.content);
        return text === '' ? [] : [{ role: 'user', text, index, isPrompt: message.role === 'user' }];
      }
      case 'assistant': {
        const text = message.subagentRunId === '' ? textOf(message.content) : '';
        return text === '' ? [] : [{ role: 'assistant', text, index, id: message.id, isPrompt: false }];
      }
      default:
        return [];
    }
  });
  const first = said.findIndex(({ role }) => role === 'user');
  return first < 0 ? [] : said.slice(first);
}

function textOf(content: string | { text: string }[]): string {
  return (typeof content === 'string' ? content : content.map(({ text }) => text).join('\n')).trim();
}
