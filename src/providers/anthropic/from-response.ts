import * as v from 'valibot';
import { ModelError } from '../../errors.ts';
import { endsEarly, toCalls } from '../../core/model/calls.ts';
import { toSpent, toUsage, type CountedUsage } from '../../core/model/estimate.ts';
import { citing } from '../cited.ts';
import { keepBlocks, type KeptBlock } from '../kept-blocks.ts';
import type { ModelRequest } from '../../core/model/model.ts';
import { isBlank } from '../pairing.ts';
import type { ModelResponse, StopReason } from '../../core/records/message.ts';
import type { TokenUsage } from '../../token-usage.ts';
import { createParagraphs } from './paragraphs.ts';
import { anthropicUsage, type AnthropicResponse } from './wire.ts';

/**
 * After results, a model may end its turn without a word:
 * https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons
 * @throws {ModelError} `server` for an answer without any content that does not say why it stopped
 */
export function fromResponse(
  request: ModelRequest,
  { content, stop_reason, usage }: AnthropicResponse,
): ModelResponse {
  if (content.length === 0 && stop_reason === '') {
    throw new ModelError('server', 'response contains no content', { spent: toSpent(toCounts(usage)) });
  }
  const stopReason = STOP_REASONS.get(stop_reason) ?? 'other';
  const paragraphs = createParagraphs();
  const text = content
    .map((block) => paragraphs.next(block.type, 'text' in block ? block.text : ''))
    .join('');
  const calls = toCalls(
    'anthropic',
    content.flatMap((block) =>
      'input' in block ? [{ id: block.id, name: block.name, arguments: block.input }] : [],
    ),
    endsEarly(stopReason) && content.at(-1)?.type === 'tool_use',
  );
  return {
    text,
    calls,
    stopReason,
    rawStopReason: stop_reason,
    usage: toUsage(request, { text, calls }, toCounts(usage)),
    ...citing(content.flatMap((block) => ('text' in block ? (block.citations ?? []) : []))),
    ...keepBlocks({ wire: 'anthropic', model: request.model }, content.flatMap(toStored), calls),
  };
}

/** A block in the form in which it goes back to the API. */
export function toStored(block: AnthropicResponse['content'][number]): KeptBlock[] {
  if ('raw' in block) return [block];
  if ('text' in block) {
    const { type, text, citations = [] } = block;
    if (citations.length > 0) return [{ type: 'raw', raw: { type, text, citations } }];
    return isBlank(text) ? [] : [{ type, text }];
  }
  if ('thinking' in block) return [{ type: 'thinking', text: block.thinking, signature: block.signature }];
  if ('data' in block) return [{ type: 'redacted', data: block.data }];
  return 'input' in block ? [{ type: 'call' }] : [];
}

/** The cost of an answer that cannot be used. */
export function spentOn(answer: unknown): TokenUsage | 'unknown' {
  const parsed = v.safeParse(anthropicUsage, answer);
  return parsed.success ? toSpent(toCounts(parsed.output.usage)) : 'unknown';
}

/** The API's `input_tokens` are those after the last breakpoint only. */
export function toCounts(usage: AnthropicResponse['usage']): CountedUsage {
  const { cache_read_input_tokens: read = 0, cache_creation_input_tokens: written = 0 } = usage;
  return {
    inputTokens: usage.input_tokens === undefined ? undefined : usage.input_tokens + read + written,
    outputTokens: usage.output_tokens,
    cacheReadTokens: read,
    cacheWriteTokens: written,
    cacheWrite1hTokens: usage.cache_creation?.ephemeral_1h_input_tokens,
    searches: usage.server_tool_use?.web_search_requests,
  };
}

const STOP_REASONS: ReadonlyMap<string, StopReason> = new Map([
  ['end_turn', 'end'],
  ['max_tokens', 'max_tokens'],
  ['model_context_window_exceeded', 'max_tokens'],
  ['refusal', 'refusal'],
  ['stop_sequence', 'end'],
  ['tool_use', 'tool_calls'],
]);
