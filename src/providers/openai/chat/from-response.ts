import * as v from 'valibot';
import { ModelError } from '../../../errors.ts';
import { unfinished } from '../../answer.ts';
import { isShallow } from '../../../json.ts';
import { endsEarly, toCalls } from '../../../core/model/calls.ts';
import { toSpent, toUsage, type CountedUsage } from '../../../core/model/estimate.ts';
import type { ModelRequest } from '../../../core/model/model.ts';
import type { ModelResponse, StopReason, ToolCall } from '../../../core/records/message.ts';
import type { TokenUsage } from '../../../token-usage.ts';
import { served, type TieredRequest } from '../service-tier.ts';
import { chatCounts, textOf, type ChatResponse, type KeptChat } from './wire.ts';

/** @throws {ModelError} `server` for an answer without choices, or one that broke off */
export function fromResponse(request: ModelRequest, { choices, ...counted }: ChatResponse): ModelResponse {
  const [choice] = choices;
  const counts = toCounts(request, counted);
  if (choice === undefined) {
    throw new ModelError('server', 'response contains no choices', { spent: toSpent(counts) });
  }
  const { content, refusal, tool_calls } = choice.message;
  const text = textOf(content) || refusal;
  const called = tool_calls.flatMap((call) => ('function' in call ? [call] : []));
  const isFiltered = choice.finish_reason.startsWith('function_call_filter') && called.length === 0;
  if (isFiltered || BROKEN_OFF.has(choice.finish_reason)) {
    throw unfinished(choice.finish_reason, toSpent(counts));
  }
  const stopReason = refusal === '' ? toStopReason(choice.finish_reason, called.length) : 'refusal';
  const calls = toCalls(
    'openai',
    called.map((call) => ({ id: call.id, ...call.function })),
    endsEarly(stopReason),
  );
  return {
    text,
    calls,
    stopReason,
    rawStopReason: refusal === '' ? choice.finish_reason : 'refusal',
    usage: toUsage(request, { text, calls }, counts),
    ...keepThoughts(request, choice.message, called, calls),
  };
}

/** Keeps thoughts between a call and its result; after the last answer, no request sends them back. */
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

/** The cost of an answer that cannot be used. */
export function spentOn(request: TieredRequest, answer: unknown): TokenUsage | 'unknown' {
  const parsed = v.safeParse(chatCounts, answer);
  return parsed.success ? toSpent(toCounts(request, parsed.output)) : 'unknown';
}

/** Gemini and xAI count what a model thought in the total alone. */
function toCounts(
  request: TieredRequest,
  { usage, service_tier }: v.InferOutput<typeof chatCounts>,
): CountedUsage {
  const { prompt_tokens: prompt, completion_tokens: said, total_tokens: total = 0 } = usage;
  const behind = total - (prompt ?? total);
  return {
    inputTokens: prompt,
    outputTokens: behind > (said ?? 0) ? behind : said,
    cacheReadTokens: usage.prompt_tokens_details.cached_tokens ?? 0,
    cacheWriteTokens: usage.prompt_tokens_details.cache_write_tokens ?? 0,
    ...served(request, service_tier),
  };
}

/** With Gemini and some local servers an answer with calls ends for the same reason as one without. */
function toStopReason(reason: string, calls: number): StopReason {
  if (reason === 'stop') return calls > 0 ? 'tool_calls' : 'end';
  return STOP_REASONS.get(reason.replace(MORE, '')) ?? 'other';
}

/** What Gemini says beyond the reason: `content_filter: RECITATION`. */
const MORE = /:.*/s;

/** As Mistral and OpenRouter say it, and DeepSeek; Gemini says that it has filtered out a call. */
const BROKEN_OFF: ReadonlySet<string> = new Set(['error', 'insufficient_system_resource']);

const STOP_REASONS: ReadonlyMap<string, StopReason> = new Map([
  ['content_filter', 'refusal'],
  ['function_call', 'tool_calls'],
  ['length', 'max_tokens'],
  // Of Mistral, for the window of the model.
  ['model_length', 'max_tokens'],
  ['refusal', 'refusal'],
  ['tool_calls', 'tool_calls'],
]);
