import * as v from 'valibot';
import { ModelError } from '../../errors.ts';
import { toCalls } from '../../core/model/calls.ts';
import { toSpent, toUsage, type CountedUsage } from '../../core/model/estimate.ts';
import type { ModelRequest } from '../../core/model/model.ts';
import type { ModelResponse, StopReason } from '../../core/records/message.ts';
import type { TokenUsage } from '../../token-usage.ts';
import { ollamaUsage, type OllamaResponse } from './wire.ts';

/** @throws {ModelError} `server` for an answer with neither text nor calls that does not say why it stopped */
export function fromResponse(
  request: ModelRequest,
  { message, done_reason, ...counts }: OllamaResponse,
): ModelResponse {
  const text = message.content;
  const stopReason = toStopReason(done_reason, message.tool_calls.length);
  if (text === '' && message.tool_calls.length === 0 && done_reason === '') {
    throw new ModelError('server', 'response contains no content', { spent: toSpent(toCounts(counts)) });
  }
  const calls = toCalls(
    'ollama',
    message.tool_calls.map((call) => ({ id: call.id, ...call.function })),
    stopReason === 'max_tokens',
  );
  return {
    text,
    calls,
    stopReason,
    rawStopReason: done_reason,
    usage: toUsage(request, { text, calls }, toCounts(counts)),
  };
}

/** The cost of an answer that cannot be used. */
export function spentOn(answer: unknown): TokenUsage | 'unknown' {
  const parsed = v.safeParse(ollamaUsage, answer);
  return parsed.success ? toSpent(toCounts(parsed.output)) : 'unknown';
}

function toCounts(counts: Pick<OllamaResponse, 'prompt_eval_count' | 'eval_count'>): CountedUsage {
  return {
    inputTokens: counts.prompt_eval_count,
    outputTokens: counts.eval_count,
    cacheReadTokens: undefined,
    cacheWriteTokens: undefined,
  };
}

/** An answer with calls ends for the same reason as one without. */
function toStopReason(reason: string, calls: number): StopReason {
  if (reason === 'stop') return calls > 0 ? 'tool_calls' : 'end';
  return reason === 'length' ? 'max_tokens' : 'other';
}
