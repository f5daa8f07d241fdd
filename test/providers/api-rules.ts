import type { ToolResultContentBlock } from '@aws-sdk/client-bedrock-runtime';
import { toRequest as toAnthropic } from '../../src/providers/anthropic/to-request.ts';
import { toRequest as toBedrock } from '../../src/providers/bedrock/to-request.ts';
import { toRequest as toOllama } from '../../src/providers/ollama/to-request.ts';
import { toRequest as toChat } from '../../src/providers/openai/chat/to-request.ts';
import { toRequest as toResponses } from '../../src/providers/openai/responses/to-request.ts';
import type { Message } from '../../src/core/records/message.ts';
import { ask, callAgent } from './requests.ts';

/**
 * What APIs want of a conversation, as they say it when they refuse one. A request is written down as a line of letters,
 * which has to match the pattern of its API: `u` is a text of a user, `a` of an answer, `c` a call, `r` a result, and `|`
 * the beginning of a message.
 */

type Part =
  | { letter: 'u' | 'a'; text: string }
  | { letter: 'c'; id: string; name: string }
  | { letter: 'r'; id: string; text: string }
  | { letter: '|' };

interface ApiRules {
  /** The form that a conversation takes. */
  toWire(messages: Message[]): { sent: unknown[]; parts: Part[] };
  order: RegExp;
  /** The form of ids; absent where none are sent, and calls go by the names of their tools. */
  ids?: RegExp;
}

/** An answer comes directly after a user's message; all of its results do in one message, and then texts. */
const BLOCKS = /^\|u+(\|a?c+\|r+u*|\|a\|u+)*$/;
const CHAT = /^\|u(\|a?c+(\|r)+(\|u)?|\|a\|u)*$/;
/** Roles alternate between user and answer, and a tool's message is followed by another one or by an answer. */
const STRICT_CHAT = /^\|u(\|a?c+(\|r)+|\|a\|u)*$/;
const ITEMS = /^u(a?c+r+u?|au)*$/;

const begin: Part = { letter: '|' };
const request = (messages: Message[]) => ask('', { messages, tools: [callAgent] });

export const API_RULES: Readonly<Record<string, ApiRules>> = {
  'Anthropic Messages': {
    toWire(messages) {
      const sent = toAnthropic(request(messages)).messages;
      const parts = sent.flatMap(({ role, content }) => [
        begin,
        ...content.map((block): Part => {
          if (block.type === 'tool_use') return { letter: 'c', id: block.id, name: block.name };
          if (block.type === 'tool_result') {
            return { letter: 'r', id: block.tool_use_id, text: onlyText(block.content) };
          }
          if (block.type !== 'text') throw new Error(`no thoughts are in these messages: ${block.type}`);
          return { letter: role === 'user' ? 'u' : 'a', text: block.text };
        }),
      ]);
      return { sent, parts };
    },
    order: BLOCKS,
    ids: /^[a-zA-Z0-9_-]+$/,
  },
  'Bedrock Converse': {
    toWire(messages) {
      const sent = toBedrock(request(messages)).messages ?? [];
      const parts = sent.flatMap(({ role, content = [] }) => [
        begin,
        ...content.map(({ toolUse, toolResult, text = '' }): Part => {
          if (toolUse) return { letter: 'c', id: toolUse.toolUseId ?? '', name: toolUse.name ?? '' };
          if (toolResult) {
            return { letter: 'r', id: toolResult.toolUseId ?? '', text: textOf(toolResult.content) };
          }
          return { letter: role === 'user' ? 'u' : 'a', text };
        }),
      ]);
      return { sent, parts };
    },
    order: BLOCKS,
    ids: /^[a-zA-Z0-9_-]{1,64}$/,
  },
  'OpenAI Chat Completions': {
    toWire: (messages) => toChatParts(messages, false),
    order: CHAT,
    ids: /^.{1,40}$/,
  },
  'a strict server of that protocol': {
    toWire: (messages) => toChatParts(messages, true),
    order: STRICT_CHAT,
    ids: /^[a-zA-Z0-9]{9}$/,
  },
  'OpenAI Responses': {
    toWire(messages) {
      const sent = toResponses(request(messages)).input;
      const parts = sent.map((item): Part => {
        if ('output' in item) return { letter: 'r', id: String(item.call_id), text: String(item.output) };
        if ('arguments' in item) return { letter: 'c', id: String(item.call_id), name: String(item['name']) };
        return { letter: item['role'] === 'user' ? 'u' : 'a', text: String(item['content']) };
      });
      return { sent, parts };
    },
    order: ITEMS,
    ids: /^.{1,64}$/,
  },
  Ollama: { toWire: (messages) => toOllamaParts(messages, false), order: CHAT },
  'a strict template in Ollama': {
    toWire: (messages) => toOllamaParts(messages, true),
    order: STRICT_CHAT,
  },
};

function toChatParts(messages: Message[], strictRoles: boolean) {
  const sent = toChat(request(messages), 'https://api.openai.com', strictRoles).messages;
  const parts = sent.flatMap((message): Part[] => {
    if (message.role === 'tool') {
      return [begin, { letter: 'r', id: message.tool_call_id, text: message.content }];
    }
    if (message.role !== 'assistant') return [begin, { letter: 'u', text: onlyText(message.content) }];
    const calls = (message.tool_calls ?? []).map(({ id, function: { name } }): Part => ({
      letter: 'c',
      id,
      name,
    }));
    return [begin, ...(message.content === null ? [] : [answer(message.content)]), ...calls];
  });
  return { sent, parts };
}

function toOllamaParts(messages: Message[], strictRoles: boolean) {
  const sent = toOllama(request(messages), strictRoles).messages;
  const parts = sent.flatMap(({ role, content, tool_calls = [], tool_name = '' }): Part[] => {
    if (role === 'tool') return [begin, { letter: 'r', id: tool_name, text: content }];
    if (role !== 'assistant') return [begin, { letter: 'u', text: content }];
    const calls = tool_calls.map(({ function: { name } }): Part => ({ letter: 'c', id: name, name }));
    // The field is always there; beside calls it may be empty.
    return [begin, ...(content === '' && calls.length > 0 ? [] : [answer(content)]), ...calls];
  });
  return { sent, parts };
}

/** Nothing is attached in these tests. */
function onlyText(content: string | object[]): string {
  if (typeof content !== 'string') throw new Error('something is attached');
  return content;
}

function answer(text: string): Part {
  return { letter: 'a', text };
}

function textOf(content: ToolResultContentBlock[] | undefined): string {
  return (content ?? []).map(({ text = '' }) => text).join('');
}

/** The faults for which an API would refuse a request; empty if it takes it. */
export function breaches({ order, ids }: ApiRules, parts: readonly Part[]): string[] {
  const line = parts.map(({ letter }) => letter).join('');
  const found = order.test(line) ? [] : [`order of messages: ${line}`];
  const made: string[] = [];
  let open: string[] = [];
  for (const part of parts) {
    if (part.letter === 'c') {
      open.push(part.id);
      made.push(part.id);
      if (!/^[a-zA-Z0-9_-]{1,64}$/.test(part.name)) found.push(`name ${part.name}`);
    } else if (part.letter === 'r') {
      if (open.shift() !== part.id) found.push(`a result for ${part.id}, which does not come next`);
    } else if (part.letter !== '|') {
      found.push(...open.map((id) => `no result for ${id}`));
      open = [];
    }
    if ('text' in part && part.text.trim() === '') found.push(`a blank ${part.letter}`);
  }
  found.push(...open.map((id) => `no result for ${id}`));
  if (ids && new Set(made).size < made.length) found.push(`ids that are used twice: ${made.join(' ')}`);
  if (ids) found.push(...made.filter((id) => !ids.test(id)).map((id) => `id ${id}`));
  return found;
}
