import * as v from 'valibot';
import { listOf, tokenCount } from '../wire-parts.ts';

/** The parts that are read of an answer. The SDK types what may come but takes anything. */

/** Bytes as Base64, which the wire has and the SDK makes bytes of. */
export const binary = v.union([
  v.string(),
  v.pipe(
    v.instance(Uint8Array),
    v.transform((bytes) => Buffer.from(bytes).toString('base64')),
  ),
]);

const block = v.object({
  /** Absent where the block is a call, or something else. */
  text: v.nullish(v.string(), ''),
  toolUse: v.nullish(
    v.object({ toolUseId: v.nullish(v.string()), name: v.string(), input: v.optional(v.unknown()) }),
  ),
  reasoningContent: v.nullish(
    v.object({
      reasoningText: v.nullish(
        v.object({ text: v.nullish(v.string(), ''), signature: v.nullish(v.string(), '') }),
      ),
      redactedContent: v.nullish(binary, ''),
    }),
  ),
});
export type BedrockBlock = v.InferOutput<typeof block>;

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

/** The parts that are read of an answer that cannot be used. */
export const bedrockUsage = v.object({ usage });

export const bedrockResponse = v.object({
  output: v.nullish(v.object({ message: v.nullish(v.object({ content: listOf(block) }), {}) }), {}),
  stopReason: v.nullish(v.string(), ''),
  usage,
  /** What a guardrail did with the answer, by guardrails; read where it has intervened. */
  trace: v.optional(
    v.object({
      guardrail: v.optional(
        v.object({ outputAssessments: v.optional(v.record(v.string(), v.unknown()), {}) }),
      ),
    }),
  ),
});
