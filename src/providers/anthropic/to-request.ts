import { dataOf } from '../attachments.ts';
import { breakpoints } from '../breakpoints.ts';
import {
  takesTemperature,
  takesToolChoice,
  toThinking,
  type ThinkingParameters,
} from '../claude-thinking.ts';
import { closedSchema } from '../closed-schema.ts';
import { thoughtsIn, toBlocks, type AnswerBlock, type KeptBy } from '../kept-blocks.ts';
import { MOST_SEARCHES } from '../../core/model/searches.ts';
import type { ModelRequest } from '../../core/model/model.ts';
import type { WithAttachments } from '../../core/records/attachment.ts';
import type { ToolDefinition } from '../../core/records/message.ts';
import { defined } from '../../defined.ts';
import { isBlank, pairCalls, type AnsweredCall, type PairedTurn } from '../pairing.ts';
import type {
  AnthropicAnswerBlock,
  AnthropicCached,
  AnthropicFile,
  AnthropicMessage,
  AnthropicRequest,
  AnthropicText,
  AnthropicTool,
  AnthropicToolResult,
  AnthropicUserBlock,
} from './wire.ts';

/** The API requires a limit; this is what an agent without one gets. */
const DEFAULT_MAX_TOKENS = 4096;
/** The same for an agent that says how much its model is to think, since thoughts count too. */
const DEFAULT_MAX_THINKING = 16_384;

/**
 * Anthropic's cache supplies the part that stays the same from one request of a conversation to the next: see
 * `breakpoints.ts`. The prompt begins with the tools, then come system and messages, so the breakpoint after the system
 * prompt covers the tools too.
 */
export function toRequest(request: ModelRequest): AnthropicRequest {
  const caching = toCaching(request);
  const system: AnthropicText[] = isBlank(request.system) ? [] : [{ type: 'text', text: request.system }];
  const tools = request.tools.map(toTool);
  const { model, temperature, reasoningEffort: effort } = request;
  const by: KeptBy = { wire: 'anthropic', model };
  const turns = pairCalls(request.messages, toWireId);
  const thoughts = thoughtsIn(turns, by);
  const max_tokens = request.maxTokens || (effort === undefined ? DEFAULT_MAX_TOKENS : DEFAULT_MAX_THINKING);
  const thinking = toThinking(model, { effort, maxTokens: max_tokens, thoughts });
  return {
    model,
    max_tokens,
    ...(system.length === 0 ? {} : { system: endCached(system, caching) }),
    ...(takesTemperature(model, thinking) && defined({ temperature })),
    ...thinking,
    ...toFormat(request, thinking),
    messages: withBreakpoints(toMessages(turns, by, request), request),
    ...(tools.length === 0 ? {} : { tools: system.length === 0 ? endCached(tools, caching) : tools }),
    ...(request.mustCall && takesToolChoice(model, thinking) && { tool_choice: { type: 'any' } }),
  };
}

/** https://platform.claude.com/docs/en/build-with-claude/structured-outputs */
function toFormat(
  { outputSchema }: ModelRequest,
  { output_config }: ThinkingParameters,
): Pick<AnthropicRequest, 'output_config'> {
  const closed = outputSchema && closedSchema(outputSchema);
  if (closed === undefined) return {};
  return { output_config: { ...output_config, format: { type: 'json_schema', schema: closed.schema } } };
}

/** Counting takes the request without the parameters of the answer; thoughts count where thinking goes on. */
export function toCountRequest(
  request: ModelRequest,
): Omit<AnthropicRequest, 'max_tokens' | 'temperature' | 'output_config'> {
  const { max_tokens: _, temperature: __, output_config: ___, ...prompt } = toRequest(request);
  return prompt;
}

/**
 * Results go into one user message directly after their calls, before what the user says then; users' texts without an
 * answer in between become one message too, in blocks of their own, so that a cache finds them again.
 */
function toMessages(turns: readonly PairedTurn[], by: KeptBy, request: ModelRequest): AnthropicMessage[] {
  const messages: AnthropicMessage[] = [];
  for (const turn of turns) {
    if (turn.role === 'user') {
      addUserContent(messages, [...toFiles(turn, request), { type: 'text', text: turn.text }]);
      continue;
    }
    messages.push({ role: 'assistant', content: toBlocks(turn, by).map(toAnswerBlock) });
    if (turn.calls.length === 0) continue;
    addUserContent(messages, [
      ...turn.calls.map((call) => toToolResult(call, request)),
      ...turn.calls.flatMap(({ result }) => (result.isError ? toFiles(result, request) : [])),
    ]);
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
      ? { ...message, content: endCached(message.content, toCaching(request)) }
      : message,
  );
}

/**
 * The requests of a batch may be minutes apart, and so may its rounds.
 * https://platform.claude.com/docs/en/build-with-claude/batch-processing
 */
function toCaching({ isUncached, service }: ModelRequest): AnthropicCached['cache_control'] {
  if (isUncached) return undefined;
  return { type: 'ephemeral', ...(service === 'batch' && { ttl: '1h' }) };
}

function endCached<Block extends AnthropicCached>(
  blocks: readonly Block[],
  cache_control: AnthropicCached['cache_control'],
): Block[] {
  return blocks.map((block, index) =>
    index === blocks.length - 1 ? { ...block, ...defined({ cache_control }) } : block,
  );
}

export function toAnswerBlock(block: AnswerBlock): AnthropicAnswerBlock {
  switch (block.type) {
    case 'thinking':
      return { type: 'thinking', thinking: block.text, signature: block.signature };
    case 'redacted':
      return { type: 'redacted_thinking', data: block.data };
    case 'call':
      return { type: 'tool_use', id: block.call.id, name: block.call.name, input: block.call.arguments };
    case 'raw':
      return block.raw;
    case 'text':
      return block;
  }
}

/** One that is an error may hold no more than text: its files follow. */
function toToolResult({ id, result }: AnsweredCall, request: ModelRequest): AnthropicToolResult {
  const { text, isError } = result;
  const files = isError ? [] : toFiles(result, request);
  const content = files.length === 0 ? text : [{ type: 'text' as const, text }, ...files];
  return { type: 'tool_result', tool_use_id: id, content, is_error: isError };
}

/** In front of the text that is about them, as is recommended. */
function toFiles({ attachments = [] }: WithAttachments, request: ModelRequest): AnthropicFile[] {
  return attachments.map((attachment) => {
    const { type: media_type } = attachment;
    const data = dataOf(request, attachment);
    return media_type === 'application/pdf'
      ? { type: 'document', source: { type: 'base64', media_type, data } }
      : { type: 'image', source: { type: 'base64', media_type, data } };
  });
}

function toTool({ name, description, parameters, byProvider }: ToolDefinition): AnthropicTool {
  if (byProvider) return { type: 'web_search_20250305', name: 'web_search', max_uses: MOST_SEARCHES };
  return { name, description, input_schema: parameters };
}
