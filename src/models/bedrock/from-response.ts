import * as v from 'valibot';
import { ModelError } from '../../errors.ts';
import { toCalls } from '../calls.ts';
import { toSpent, toUsage, type CountedUsage } from '../estimate.ts';
import type { ModelRequest } from '../model.ts';
import type { ModelResponse, StopReason, TokenUsage } from '../../runs/message.ts';
import { bedrockResponse, bedrockUsage } from './wire.ts';

/** @throws {ModelError} `server` for an answer without any content, or in a form of its own */
export function fromResponse(request: ModelRequest, answer: unknown): ModelResponse {
  const parsed = v.safeParse(bedrockResponse, answer, { abortEarly: true });
  if (!parsed.success) {
    const [issue] = parsed.issues;
    const fault = `failed to parse response: ${v.getDotPath(issue)}: ${issue.message}`;
    throw new ModelError('server', fault, { spent: spentOn(answer) });
  }
  const { output, usage } = parsed.output;
  const { content } = output.message;
  if (content.length === 0) {
    throw new ModelError('server', 'response contains no content', { spent: toSpent(toCounts(usage)) });
  }
  const stopReason = STOP_REASONS.get(parsed.output.stopReason) ?? 'other';
  const text = content.map((block) => block.text).join('');
  const calls = toCalls(
    'bedrock',
    content.flatMap(({ toolUse }) =>
      toolUse ? [{ id: toolUse.toolUseId, name: toolUse.name, arguments: toolUse.input }] : [],
    ),
    stopReason === 'max_tokens' && Boolean(content.at(-1)?.toolUse),
  );
  return {
    text,
    calls,
    stopReason,
    rawStopReason: parsed.output.stopReason,
    usage: toUsage(request, { text, calls }, toCounts(usage)),
  };
}

/** What an answer that cannot be used has cost. */
export function spentOn(answer: unknown): TokenUsage | 'unknown' {
  const parsed = v.safeParse(bedrockUsage, answer);
  return parsed.success ? toSpent(toCounts(parsed.output.usage)) : 'unknown';
}

/** The API's `inputTokens` are those that the cache had nothing to do with. */
function toCounts(usage: v.InferOutput<typeof bedrockResponse>['usage']): CountedUsage {
  const { cacheReadInputTokens: read = 0, cacheWriteInputTokens: written = 0 } = usage;
  return {
    inputTokens: usage.inputTokens === undefined ? undefined : usage.inputTokens + read + written,
    outputTokens: usage.outputTokens,
    cacheReadTokens: read,
    cacheWriteTokens: written,
  };
}

const STOP_REASONS: ReadonlyMap<string, StopReason> = new Map([
  ['content_filtered', 'refusal'],
  ['end_turn', 'end'],
  ['guardrail_intervened', 'refusal'],
  ['max_tokens', 'max_tokens'],
  ['model_context_window_exceeded', 'max_tokens'],
  ['stop_sequence', 'end'],
  ['tool_use', 'tool_calls'],
]);
