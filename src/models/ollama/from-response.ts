import { ModelError } from '../../errors.ts';
import { toCalls } from '../calls.ts';
import { toUsage } from '../estimate.ts';
import type { ModelRequest } from '../model.ts';
import type { ModelResponse, StopReason } from '../../runs/message.ts';
import type { OllamaResponse } from './wire.ts';

/** @throws {ModelError} `server` for an answer with neither text nor calls */
export function fromResponse(
  request: ModelRequest,
  { message, done_reason, ...counts }: OllamaResponse,
): ModelResponse {
  if (message.content === '' && message.tool_calls.length === 0) {
    throw new ModelError('server', 'response contains no content');
  }
  const text = message.content;
  const calls = toCalls(
    'ollama',
    message.tool_calls.map((call) => ({ id: call.id, ...call.function })),
  );
  return {
    text,
    calls,
    stopReason: toStopReason(done_reason, message.tool_calls.length),
    rawStopReason: done_reason,
    usage: toUsage(
      request,
      { text, calls },
      { inputTokens: counts.prompt_eval_count, outputTokens: counts.eval_count },
    ),
  };
}

/** An answer with calls ends for the same reason as one without. */
function toStopReason(reason: string, calls: number): StopReason {
  if (reason === 'stop') return calls > 0 ? 'tool_calls' : 'end';
  return reason === 'length' ? 'max_tokens' : 'other';
}
