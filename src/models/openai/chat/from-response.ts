import * as v from 'valibot';
import { ModelError } from '../../../errors.ts';
import { toCalls } from '../../calls.ts';
import { toSpent, toUsage, type CountedUsage } from '../../estimate.ts';
import type { ModelRequest } from '../../model.ts';
import type { ModelResponse, StopReason, TokenUsage } from '../../../runs/message.ts';
import { chatUsage, type ChatResponse } from './wire.ts';

/** @throws {ModelError} `server` for an answer without choices */
export function fromResponse(request: ModelRequest, { choices, usage }: ChatResponse): ModelResponse {
  const [choice] = choices;
  if (choice === undefined) {
    throw new ModelError('server', 'response contains no choices', { spent: toSpent(toCounts(usage)) });
  }
  const { content, refusal, tool_calls } = choice.message;
  const text = content || refusal;
  const stopReason = refusal === '' ? (STOP_REASONS.get(choice.finish_reason) ?? 'other') : 'refusal';
  const calls = toCalls(
    'openai',
    tool_calls.flatMap((call) => ('function' in call ? [{ id: call.id, ...call.function }] : [])),
    stopReason === 'max_tokens',
  );
  return {
    text,
    calls,
    stopReason,
    rawStopReason: choice.finish_reason,
    usage: toUsage(request, { text, calls }, toCounts(usage)),
  };
}

/** What an answer that cannot be used has cost. */
export function spentOn(answer: unknown): TokenUsage | 'unknown' {
  const parsed = v.safeParse(chatUsage, answer);
  return parsed.success ? toSpent(toCounts(parsed.output.usage)) : 'unknown';
}

function toCounts(usage: ChatResponse['usage']): CountedUsage {
  return {
    inputTokens: usage.prompt_tokens,
    outputTokens: usage.completion_tokens,
    cacheReadTokens: usage.prompt_tokens_details.cached_tokens ?? 0,
    cacheWriteTokens: usage.prompt_tokens_details.cache_write_tokens ?? 0,
  };
}

const STOP_REASONS: ReadonlyMap<string, StopReason> = new Map([
  ['content_filter', 'refusal'],
  ['function_call', 'tool_calls'],
  ['length', 'max_tokens'],
  ['stop', 'end'],
  ['tool_calls', 'tool_calls'],
]);
