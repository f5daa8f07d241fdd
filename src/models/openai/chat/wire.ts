import * as v from 'valibot';
import type { ReasoningEffort, ToolParameters } from '../../../runs/message.ts';
import { listOf, tokenCount } from '../../wire-parts.ts';

/** The part of OpenAI's Chat Completions API that is used: https://platform.openai.com/docs/api-reference/chat */

export interface ChatRequest {
  model: string;
  messages: ChatMessage[];
  tools?: ChatTool[];
  temperature?: number;
  /** The current name of the limit, the only one that reasoning models take. */
  max_completion_tokens?: number;
  /** The old name, the only one that many servers of the same protocol know. */
  max_tokens?: number;
  reasoning_effort?: ReasoningEffort;
}

export type ChatMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string | null; tool_calls?: ChatToolCall[] }
  | { role: 'tool'; tool_call_id: string; content: string };

export interface ChatToolCall {
  id: string;
  type: 'function';
  /** Arguments are JSON text. */
  function: { name: string; arguments: string };
}

export interface ChatTool {
  type: 'function';
  function: { name: string; description: string; parameters: ToolParameters };
}

const toolCall = v.object({
  id: v.nullish(v.string()),
  function: v.object({ name: v.string(), arguments: v.optional(v.unknown()) }),
});

/** Calls of a kind that was never offered. */
const otherCall = v.object({ type: v.pipe(v.string(), v.notValue('function')) });

const usage = v.optional(
  v.fallback(
    v.object({
      prompt_tokens: tokenCount,
      completion_tokens: tokenCount,
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

/** What is read of an answer that cannot be used. */
export const chatUsage = v.object({ usage });

export const chatResponse = v.object({
  choices: listOf(
    v.object({
      message: v.object({
        content: v.nullish(v.string(), ''),
        refusal: v.nullish(v.string(), ''),
        tool_calls: listOf(v.union([toolCall, otherCall])),
      }),
      finish_reason: v.nullish(v.string(), ''),
    }),
  ),
  usage,
});

export type ChatResponse = v.InferOutput<typeof chatResponse>;
