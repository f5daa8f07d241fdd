import * as v from 'valibot';
import type { ReasoningEffort, ToolParameters } from '../../../core/records/message.ts';
import { listOf, tokenCount } from '../../wire-parts.ts';
import { servedAs, type Tier } from '../service-tier.ts';
import type { OutputFormat } from '../output-format.ts';

/** The part of OpenAI's Chat Completions API that is used: https://platform.openai.com/docs/api-reference/chat */

export interface ChatCompletionRequest {
  model: string;
  messages: ChatMessage[];
  tools?: ChatTool[];
  response_format?: { type: 'json_schema'; json_schema: OutputFormat };
  temperature?: number;
  /** The current name of the limit, the only one that reasoning models take. */
  max_completion_tokens?: number;
  /** The old name, the only one that many servers of the same protocol know. */
  max_tokens?: number;
  reasoning_effort?: ReasoningEffort;
  service_tier?: Tier;
}

export type ChatMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string | ChatPart[] }
  | ({ role: 'assistant'; content: string | null; tool_calls?: ChatToolCall[] } & KeptThoughts)
  | { role: 'tool'; tool_call_id: string; content: string };

export type ChatPart =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: { url: string } }
  | { type: 'file'; file: { filename: string; file_data: string } };

export interface ChatToolCall {
  id: string;
  type: 'function';
  /** Arguments are JSON text. */
  function: { name: string; arguments: string };
  /** Gemini's thoughts before the call, signed. */
  extra_content?: unknown;
}

/** The model's thoughts, in the formats of DeepSeek and OpenRouter: some models refuse to continue without them. */
export interface KeptThoughts {
  reasoning_content?: string;
  reasoning_details?: unknown[];
}

export interface ChatTool {
  type: 'function';
  function: { name: string; description: string; parameters: ToolParameters };
}

const toolCall = v.object({
  id: v.nullish(v.string()),
  function: v.object({ name: v.string(), arguments: v.optional(v.unknown()) }),
  extra_content: v.optional(v.unknown()),
});

/** Calls of a kind that was never offered. */
const otherCall = v.object({ type: v.pipe(v.string(), v.notValue('function')) });

const contentPart = v.object({
  type: v.string(),
  text: v.optional(v.string(), ''),
  thinking: v.optional(v.union([v.string(), v.array(v.object({ text: v.optional(v.string(), '') }))]), ''),
});

/** A text, or with models of Mistral that think, parts of several kinds. */
export const chatContent = v.nullish(v.union([v.string(), v.array(contentPart)]), '');
type ChatContent = v.InferOutput<typeof chatContent>;

export function textOf(content: ChatContent): string {
  if (typeof content === 'string') return content;
  return content.map(({ type, text }) => (type === 'text' ? text : '')).join('');
}

/** The model's thoughts, where they are a part of its answer. */
export function thoughtsOf(content: ChatContent): string {
  if (typeof content === 'string') return '';
  const toThought = ({ thinking }: v.InferOutput<typeof contentPart>) =>
    typeof thinking === 'string' ? thinking : thinking.map(({ text }) => text).join('');
  return content.map(toThought).join('');
}

const usage = v.optional(
  v.fallback(
    v.object({
      prompt_tokens: tokenCount,
      completion_tokens: tokenCount,
      total_tokens: tokenCount,
      prompt_tokens_details: v.optional(
        v.fallback(
          v.object({
            cached_tokens: tokenCount,
            cache_write_tokens: tokenCount,
          }),
          {},
        ),
        {},
      ),
    }),
    { prompt_tokens_details: {} },
  ),
  {},
);

/** The parts that are read of an answer that cannot be used. */
export const chatCounts = v.object({ service_tier: servedAs, usage });

export const chatResponse = v.object({
  choices: listOf(
    v.object({
      message: v.object({
        content: chatContent,
        refusal: v.nullish(v.string(), ''),
        reasoning_content: v.nullish(v.string(), ''),
        reasoning_details: listOf(v.unknown()),
        tool_calls: listOf(v.union([toolCall, otherCall])),
      }),
      finish_reason: v.nullish(v.string(), ''),
    }),
  ),
  service_tier: servedAs,
  usage,
});

export type ChatResponse = v.InferOutput<typeof chatResponse>;

/** The parts of an answer that are kept for the results of its calls. */
export const keptChat = v.object({
  wire: v.literal('openai-chat'),
  model: v.string(),
  reasoning_content: v.exactOptional(v.string()),
  reasoning_details: v.exactOptional(v.array(v.unknown())),
  /** One for each call; null where a call has none. */
  extra_content: v.exactOptional(v.array(v.unknown())),
});
export type KeptChat = v.InferOutput<typeof keptChat>;
