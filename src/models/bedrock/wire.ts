import * as v from 'valibot';

/** What is read of an answer. The SDK types what may come but takes anything. */
const block = v.object({
  /** Absent where the block is a call, or something else: reasoning, for one. */
  text: v.nullish(v.string(), ''),
  toolUse: v.nullish(
    v.object({ toolUseId: v.nullish(v.string()), name: v.string(), input: v.optional(v.unknown()) }),
  ),
});

export const bedrockResponse = v.object({
  output: v.nullish(
    v.object({ message: v.nullish(v.object({ content: v.nullish(v.array(block), []) }), {}) }),
    {},
  ),
  stopReason: v.nullish(v.string(), ''),
  usage: v.nullish(
    v.object({
      inputTokens: v.nullish(v.number(), 0),
      outputTokens: v.nullish(v.number(), 0),
      cacheReadInputTokens: v.nullish(v.number(), 0),
      cacheWriteInputTokens: v.nullish(v.number(), 0),
    }),
    {},
  ),
});
