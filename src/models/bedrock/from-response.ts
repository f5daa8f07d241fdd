import * as v from 'valibot';
import { ModelError } from '../../errors.ts';
import { toCalls } from '../calls.ts';
import type { ModelResponse, StopReason, TokenUsage } from '../model.ts';
import { bedrockResponse } from './wire.ts';

/** @throws {ModelError} `server` for an answer without any content, or in a form of its own */
export function fromResponse(answer: unknown): ModelResponse {
  const parsed = v.safeParse(bedrockResponse, answer);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    throw new ModelError('server', `failed to parse response: ${v.getDotPath(issue)}: ${issue.message}`);
  }
  const { output, stopReason, usage } = parsed.output;
  const { content } = output.message;
  if (content.length === 0) throw new ModelError('server', 'response contains no content');
  return {
    text: content.map(({ text }) => text).join(''),
    calls: toCalls(
      'bedrock',
      content.flatMap(({ toolUse }) =>
        toolUse ? [{ id: toolUse.toolUseId, name: toolUse.name, arguments: toolUse.input }] : [],
      ),
    ),
    stopReason: STOP_REASONS.get(stopReason) ?? 'other',
    rawStopReason: stopReason,
    usage: toTokenUsage(usage),
  };
}

/** The API's `inputTokens` are those that the cache had nothing to do with. */
function toTokenUsage(usage: v.InferOutput<typeof bedrockResponse>['usage']): TokenUsage {
  const { cacheReadInputTokens: read, cacheWriteInputTokens: written } = usage;
  return {
    inputTokens: usage.inputTokens + read + written,
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
