import * as v from 'valibot';
import { ModelError } from '../../../errors.ts';
import { isShallow } from '../../../json.ts';
import { toCalls } from '../../../core/model/calls.ts';
import { toSpent, toUsage, type CountedUsage } from '../../../core/model/estimate.ts';
import type { ModelRequest } from '../../../core/model/model.ts';
import type { ModelResponse, StopReason, TokenUsage, ToolCall } from '../../../core/records/message.ts';
import { chatUsage, textOf, type ChatResponse, type KeptChat } from './wire.ts';

/** @throws {ModelError} `server` for an answer without choices */
export function fromResponse(request: ModelRequest, { choices, usage }: ChatResponse): ModelResponse {
  const [choice] = choices;
  if (choice === undefined) {
    throw new ModelError('server', 'response contains no choices', { spent: toSpent(toCounts(usage)) });
  }
  const { content, refusal, tool_calls } = choice.message;
  const text = textOf(content) || refusal;
  const stopReason = refusal === '' ? (STOP_REASONS.get(choice.finish_reason) ?? 'other') : 'refusal';
  const called = tool_calls.flatMap((call) => ('function' in call ? [call] : []));
  const calls = toCalls(
    'openai',
    called.map((call) => ({ id: call.id, ...call.function })),
    stopReason === 'max_tokens',
  );
  return {
    text,
    calls,
    stopReason,
    rawStopReason: choice.finish_reason,
    usage: toUsage(request, { text, calls }, toCounts(usage)),
    ...keepThoughts(request, choice.message, called, calls),
  };
}

/** Between a call and its result; after the last answer, nobody asks for them. */
function keepThoughts(
  { model }: ModelRequest,
  { reasoning_content, reasoning_details }: ChatResponse['choices'][number]['message'],
  called: readonly { extra_content?: unknown }[],
  calls: readonly ToolCall[],
): { providerContent?: KeptChat } {
  const extra_content = called.map((call) => call.extra_content ?? null);
  const kept = {
    ...(reasoning_content !== '' && { reasoning_content }),
    ...(reasoning_details.length > 0 && { reasoning_details }),
    ...(extra_content.some((extra) => extra !== null) && { extra_content }),
  };
  const hasThought = Object.keys(kept).length > 0;
  if (!hasThought || calls.length === 0 || calls.some(({ cut }) => cut) || !isShallow(kept)) return {};
  return { providerContent: { wire: 'openai-chat', model, ...kept } };
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
