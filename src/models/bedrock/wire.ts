import * as v from 'valibot';
import { listOf, tokenCount } from '../wire-parts.ts';

/** What is read of an answer. The SDK types what may come but takes anything. */
const block = v.object({
  /** Absent where the block is a call, or something else: reasoning, for one. */
  text: v.nullish(v.string(), ''),
  toolUse: v.nullish(
    v.object({ toolUseId: v.nullish(v.string()), name: v.string(), input: v.optional(v.unknown()) }),
  ),
});

const usage = v.optional(
  v.fallback(
    v.object({
      inputTokens: tokenCount,
      outputTokens: tokenCount,
      cacheReadInputTokens: tokenCount,
      cacheWriteInputTokens: tokenCount,
    }),
    {},
  ),
  {},
);

/** What is read of an answer that cannot be used. */
export const bedrockUsage = v.object({ usage });

export const bedrockResponse = v.object({
  output: v.nullish(v.object({ message: v.nullish(v.object({ content: listOf(block) }), {}) }), {}),
  stopReason: v.nullish(v.string(), ''),
  usage,
});
