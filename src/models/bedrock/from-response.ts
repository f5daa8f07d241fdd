import * as v from 'valibot';
import { ModelError } from '../../errors.ts';
import { toCalls } from '../calls.ts';
import { toUsage, type CountedUsage } from '../estimate.ts';
import type { ModelRequest } from '../model.ts';
import type { ModelResponse, StopReason } from '../../runs/message.ts';
import { bedrockResponse } from './wire.ts';

/** @throws {ModelError} `server` for an answer without any content, or in a form of its own */
export function fromResponse(request: ModelRequest, answer: unknown): ModelResponse {
  const parsed = v.safeParse(bedrockResponse, answer, { abortEarly: true });
  if (!parsed.success) {
    const [issue] = parsed.issues;
    throw new ModelError('server', `failed to parse response: ${v.getDotPath(issue)}: ${issue.message}`);
  }
  const { output, stopReason, usage } = parsed.output;
  const { content } = output.message;
  if (content.length === 0) throw new ModelError('server', 'response contains no content');
  const text = content.map((block) => block.text).join('');
  const calls = toCalls(
    'bedrock',
    content.flatMap(({ toolUse }) =>
      toolUse ? [{ id: toolUse.toolUseId, name: toolUse.name, arguments: toolUse.input }] : [],
    ),
  );
  return {
    text,
    calls,
    stopReason: STOP_REASONS.get(stopReason) ?? 'other',
    rawStopReason: stopReason,
    usage: toUsage(request, { text, calls }, toCounts(usage)),
  };
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
