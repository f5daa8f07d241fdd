import * as v from 'valibot';
import type { ToolParameters } from '../../runs/message.ts';
import { listOf, tokenCount } from '../wire-parts.ts';

/** The part of Anthropic's Messages API that is used: https://docs.anthropic.com/en/api/messages */

export interface AnthropicRequest {
  model: string;
  max_tokens: number;
  system?: AnthropicText[];
  temperature?: number;
  messages: AnthropicMessage[];
  tools?: AnthropicTool[];
}

export type AnthropicMessage =
  | { role: 'user'; content: AnthropicUserBlock[] }
  | { role: 'assistant'; content: (AnthropicText | AnthropicToolUse)[] };

export type AnthropicUserBlock = AnthropicText | AnthropicToolResult;

/** Ends a part of the prompt that is to be kept, and to be read from the cache where it was kept before. */
export interface AnthropicCached {
  cache_control?: { type: 'ephemeral' };
}

export interface AnthropicText extends AnthropicCached {
  type: 'text';
  text: string;
}

export interface AnthropicToolUse {
  type: 'tool_use';
  id: string;
  name: string;
  input: Record<string, unknown>;
}

export interface AnthropicToolResult extends AnthropicCached {
  type: 'tool_result';
  tool_use_id: string;
  content: string;
  is_error: boolean;
}

export interface AnthropicTool extends AnthropicCached {
  name: string;
  description: string;
  input_schema: ToolParameters;
}

const textBlock = v.object({ type: v.literal('text'), text: v.string() });

const toolUseBlock = v.object({
  type: v.literal('tool_use'),
  id: v.nullish(v.string()),
  name: v.string(),
  input: v.optional(v.unknown()),
});

/** Thinking, and whatever else there will be. */
const otherBlock = v.object({ type: v.pipe(v.string(), v.notValues(['text', 'tool_use'])) });

const usage = v.optional(
  v.fallback(
    v.object({
      input_tokens: tokenCount,
      output_tokens: tokenCount,
      cache_read_input_tokens: tokenCount,
      cache_creation_input_tokens: tokenCount,
    }),
    {},
  ),
  {},
);

export const anthropicResponse = v.object({
  content: listOf(v.union([textBlock, toolUseBlock, otherBlock])),
  stop_reason: v.nullish(v.string(), ''),
  usage,
});

/** What is read of an answer that cannot be used. */
export const anthropicUsage = v.object({ usage });

/** https://docs.anthropic.com/en/api/messages-count-tokens */
export const anthropicCount = v.object({ input_tokens: v.pipe(v.number(), v.safeInteger(), v.minValue(0)) });

export type AnthropicResponse = v.InferOutput<typeof anthropicResponse>;
