import * as v from 'valibot';
import type { ToolParameters } from '../../core/records/message.ts';
import { listOf, tokenCount } from '../wire-parts.ts';

/** The part of Ollama's chat API that is used: https://docs.ollama.com/api/chat */

export interface OllamaRequest {
  model: string;
  /** The API streams unless told not to. */
  stream: false;
  messages: OllamaMessage[];
  tools?: OllamaTool[];
  /** The schema of the answer. */
  format?: ToolParameters;
  options?: { temperature?: number; num_predict?: number };
}

export interface OllamaMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string;
  /** In base64. */
  images?: string[];
  tool_calls?: OllamaToolCall[];
  /** On a result: the tool that was called. */
  tool_name?: string;
}

export interface OllamaToolCall {
  function: { name: string; arguments: Record<string, unknown> };
}

export interface OllamaTool {
  type: 'function';
  function: { name: string; description: string; parameters: ToolParameters };
}

const counts = { prompt_eval_count: tokenCount, eval_count: tokenCount };

/** The parts that are read of an answer that cannot be used. */
export const ollamaUsage = v.object(counts);

export const ollamaResponse = v.object({
  message: v.nullish(
    v.object({
      content: v.nullish(v.string(), ''),
      tool_calls: listOf(
        v.object({
          id: v.nullish(v.string()),
          function: v.object({ name: v.string(), arguments: v.optional(v.unknown()) }),
        }),
      ),
    }),
    {},
  ),
  done_reason: v.nullish(v.string(), ''),
  ...counts,
});

/** https://docs.ollama.com/api/show: what a model can do; servers of before 0.6.4 do not say. */
export const ollamaShown = v.object({ capabilities: v.optional(v.array(v.string()), []) });

export type OllamaResponse = v.InferOutput<typeof ollamaResponse>;
