import { breakpoints } from '../breakpoints.ts';
import type { ModelRequest } from '../model.ts';
import type { ToolDefinition } from '../../runs/message.ts';
import { isBlank, pairCalls, type AnsweredCall } from '../pairing.ts';
import type {
  AnthropicCached,
  AnthropicMessage,
  AnthropicRequest,
  AnthropicText,
  AnthropicTool,
  AnthropicToolResult,
  AnthropicToolUse,
  AnthropicUserBlock,
} from './wire.ts';

/** The API requires a limit; this is what an agent without one gets. */
const DEFAULT_MAX_TOKENS = 4096;

/**
 * What stays the same from one request of a conversation to the next is read from Anthropic's cache: see
 * `breakpoints.ts`. The prompt begins with the tools, then come system and messages, so the breakpoint after the system
 * prompt covers the tools too.
 */
export function toRequest(request: ModelRequest): AnthropicRequest {
  const system: AnthropicText[] = isBlank(request.system) ? [] : [{ type: 'text', text: request.system }];
  const tools = request.tools.map(toTool);
  return {
    model: request.model,
    max_tokens: request.maxTokens === 0 ? DEFAULT_MAX_TOKENS : request.maxTokens,
    ...(system.length === 0 ? {} : { system: endCached(system) }),
    ...(request.temperature === 0 ? {} : { temperature: request.temperature }),
    messages: withBreakpoints(toMessages(request), request),
    ...(tools.length === 0 ? {} : { tools: system.length === 0 ? endCached(tools) : tools }),
  };
}

/** Counting takes what is sent but for how to answer it. */
export function toCountRequest(request: ModelRequest): Omit<AnthropicRequest, 'max_tokens' | 'temperature'> {
  const { max_tokens: _, temperature: __, ...prompt } = toRequest(request);
  return prompt;
}

/**
 * Results go into one user message directly after their calls, before what the user says then; what users say without
 * an answer in between becomes one message too, in blocks of its own, so that what a cache holds of it is found again.
 */
function toMessages(request: ModelRequest): AnthropicMessage[] {
  const messages: AnthropicMessage[] = [];
  for (const turn of pairCalls(request.messages, toWireId)) {
    if (turn.role === 'user') {
      addUserContent(messages, [{ type: 'text', text: turn.text }]);
      continue;
    }
    const text = turn.text === '' ? [] : [{ type: 'text' as const, text: turn.text }];
    messages.push({ role: 'assistant', content: [...text, ...turn.calls.map(toToolUse)] });
    if (turn.calls.length > 0) addUserContent(messages, turn.calls.map(toToolResult));
  }
  return messages;
}

/** Ids match `^[a-zA-Z0-9_-]+$` here; those of other providers, or made up, may not. */
function toWireId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_') || 'call';
}

function addUserContent(messages: AnthropicMessage[], content: AnthropicUserBlock[]): void {
  const last = messages.at(-1);
  if (last?.role === 'user') last.content.push(...content);
  else messages.push({ role: 'user', content });
}

function withBreakpoints(messages: AnthropicMessage[], request: ModelRequest): AnthropicMessage[] {
  const ends = breakpoints(messages, request);
  return messages.map((message) =>
    message.role === 'user' && ends.has(message)
      ? { ...message, content: endCached(message.content) }
      : message,
  );
}

function endCached<Block extends AnthropicCached>(blocks: readonly Block[]): Block[] {
  return blocks.map((block, index) =>
    index === blocks.length - 1 ? { ...block, cache_control: { type: 'ephemeral' } } : block,
  );
}

function toToolUse(call: AnsweredCall): AnthropicToolUse {
  return { type: 'tool_use', id: call.id, name: call.name, input: call.arguments };
}

function toToolResult({ id, result }: AnsweredCall): AnthropicToolResult {
  return { type: 'tool_result', tool_use_id: id, content: result.text, is_error: result.isError };
}

function toTool({ name, description, parameters }: ToolDefinition): AnthropicTool {
  return { name, description, input_schema: parameters };
}
