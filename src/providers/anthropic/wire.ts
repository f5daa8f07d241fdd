import * as v from 'valibot';
import type { AttachmentType } from '../../core/records/attachment.ts';
import type { ToolParameters } from '../../core/records/message.ts';
import type { ClaudeEffort, ClaudeThinking } from '../claude-thinking.ts';
import type { CitationBlock, SearchBlock } from '../kept-blocks.ts';
import { listOf, tokenCount } from '../wire-parts.ts';

/** The part of Anthropic's Messages API that is used: https://docs.anthropic.com/en/api/messages */

export interface AnthropicRequest {
  model: string;
  max_tokens: number;
  system?: AnthropicText[];
  temperature?: number;
  thinking?: ClaudeThinking;
  output_config?: {
    effort?: ClaudeEffort;
    format?: { type: 'json_schema'; schema: ToolParameters };
  };
  messages: AnthropicMessage[];
  tools?: AnthropicTool[];
  tool_choice?: { type: 'any' };
}

export type AnthropicMessage =
  { role: 'user'; content: AnthropicUserBlock[] } | { role: 'assistant'; content: AnthropicAnswerBlock[] };

export type AnthropicAnswerBlock = AnthropicText | AnthropicToolUse | AnthropicThinking | SearchBlock;

export type AnthropicUserBlock = AnthropicText | AnthropicFile | AnthropicToolResult;

/** Ends a part of the prompt that is to be kept, and to be read from the cache where it was kept before. */
export interface AnthropicCached {
  cache_control?: { type: 'ephemeral'; ttl?: '1h' };
}

export interface AnthropicText extends AnthropicCached {
  type: 'text';
  text: string;
}

/** https://platform.claude.com/docs/en/build-with-claude/vision and .../pdf-support */
export type AnthropicFile = AnthropicCached &
  (
    | { type: 'image'; source: Base64<Exclude<AttachmentType, 'application/pdf'>> }
    | { type: 'document'; source: Base64<'application/pdf'> }
  );

interface Base64<Type> {
  type: 'base64';
  media_type: Type;
  data: string;
}

export interface AnthropicToolUse {
  type: 'tool_use';
  id: string;
  name: string;
  input: Record<string, unknown>;
}

/** The model's thoughts, which only it can read, and which go back unchanged. */
export type AnthropicThinking =
  { type: 'thinking'; thinking: string; signature: string } | { type: 'redacted_thinking'; data: string };

export interface AnthropicToolResult extends AnthropicCached {
  type: 'tool_result';
  tool_use_id: string;
  content: string | (AnthropicText | AnthropicFile)[];
  is_error: boolean;
}

export type AnthropicTool = AnthropicCached &
  (
    | { name: string; description: string; input_schema: ToolParameters }
    /** https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool */
    | { type: 'web_search_20250305'; name: 'web_search'; max_uses: number }
  );

const cited = v.array(v.looseObject({ url: v.string(), title: v.nullable(v.string()) }));

const textBlock = v.object({
  type: v.literal('text'),
  text: v.string(),
  /** Pages alone: no documents are sent that are to be cited. */
  citations: v.fallback(v.optional(v.custom<CitationBlock[]>((list) => v.is(cited, list))), undefined),
});

const toolUseBlock = v.object({
  type: v.literal('tool_use'),
  id: v.nullish(v.string()),
  name: v.string(),
  input: v.optional(v.unknown()),
});

const thinkingBlock = v.object({
  type: v.literal('thinking'),
  thinking: v.optional(v.string(), ''),
  signature: v.optional(v.string(), ''),
});

const redactedBlock = v.object({ type: v.literal('redacted_thinking'), data: v.string() });

const SEARCHING = ['server_tool_use', 'web_search_tool_result'] as const;

const searching = v.looseObject({ type: v.picklist(SEARCHING) });

/** A search by the API itself: as it came. */
const searchBlock = v.pipe(
  v.custom<SearchBlock>((block) => v.is(searching, block)),
  v.transform((raw) => ({ type: 'raw' as const, raw })),
);

/** Any block that may be added later. */
const otherBlock = v.object({
  type: v.pipe(v.string(), v.notValues(['text', 'tool_use', 'thinking', 'redacted_thinking', ...SEARCHING])),
});

const usage = v.optional(
  v.fallback(
    v.object({
      input_tokens: tokenCount,
      output_tokens: tokenCount,
      cache_read_input_tokens: tokenCount,
      cache_creation_input_tokens: tokenCount,
      cache_creation: v.nullish(v.fallback(v.object({ ephemeral_1h_input_tokens: tokenCount }), {})),
      server_tool_use: v.nullish(v.fallback(v.object({ web_search_requests: tokenCount }), {})),
    }),
    {},
  ),
  {},
);

export const anthropicResponse = v.object({
  content: listOf(v.union([textBlock, toolUseBlock, thinkingBlock, redactedBlock, searchBlock, otherBlock])),
  stop_reason: v.nullish(v.string(), ''),
  usage,
});

/** The parts that are read of an answer that cannot be used. */
export const anthropicUsage = v.object({ usage });

/** https://docs.anthropic.com/en/api/messages-count-tokens */
export const anthropicCount = v.object({ input_tokens: v.pipe(v.number(), v.safeInteger(), v.minValue(0)) });

export type AnthropicResponse = v.InferOutput<typeof anthropicResponse>;
