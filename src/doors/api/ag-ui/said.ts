import type { NewAttachment } from '../../../core/records/attachment.ts';
import { attachTo } from '../attached.ts';
import type { Spoken } from '../earlier-messages.ts';
import type { Content, RunInput } from './run-input.ts';

/** What was said in a conversation, as its client has it. */
export interface ClientSaid extends Spoken {
  /** Where it is among the messages of the client. */
  index: number;
  /** Of a message of the agent. */
  id?: string;
  isPrompt: boolean;
  /** What is attached to it, with its bytes. */
  files: NewAttachment[];
}

/**
 * The texts of users and of the agent. Calls, their results and messages of agents below are in the run's own record,
 * and so is everything that a client shows before its user has said anything.
 */
export function saidIn(messages: RunInput['messages']): ClientSaid[] {
  const said = messages.flatMap((message, index): ClientSaid[] => {
    switch (message.role) {
      case 'user':
      case 'system':
      case 'developer': {
        const text = textOf(message.content);
        const files = filesIn(message.content, index);
        if (text === '' && files.length === 0) return [];
        const isPrompt = message.role === 'user';
        return [{ role: 'user', text, index, isPrompt, files, ...attachmentsOf(files) }];
      }
      case 'assistant': {
        const text = message.subagentRunId === '' ? textOf(message.content) : '';
        if (text === '') return [];
        return [{ role: 'assistant', text, index, id: message.id, isPrompt: false, files: [] }];
      }
      default:
        return [];
    }
  });
  const first = said.findIndex(({ role }) => role === 'user');
  return first < 0 ? [] : said.slice(first);
}

function textOf(content: Content): string {
  if (typeof content === 'string') return content.trim();
  return content
    .flatMap((part) => ('text' in part ? part.text : []))
    .join('\n')
    .trim();
}

/** @throws {Problem} 400 for bytes that are no image or PDF */
function filesIn(content: Content, index: number): NewAttachment[] {
  if (typeof content === 'string') return [];
  return content.flatMap((part) =>
    'bytes' in part ? attachTo(part.bytes, `messages.${index}.content`) : [],
  );
}

function attachmentsOf(files: readonly NewAttachment[]) {
  return files.length === 0 ? {} : { attachments: files.map(({ attachment }) => attachment) };
}
