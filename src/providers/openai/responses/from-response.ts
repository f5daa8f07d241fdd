import * as v from 'valibot';
import { ModelError } from '../../../errors.ts';
import { isShallow } from '../../../json.ts';
import { endsEarly, toCalls } from '../../../core/model/calls.ts';
import { toSpent, toUsage, type CountedUsage } from '../../../core/model/estimate.ts';
import { mostSearches } from '../../../core/model/searches.ts';
import type { ModelRequest } from '../../../core/model/model.ts';
import type { ModelResponse, StopReason } from '../../../core/records/message.ts';
import { citing } from '../../cited.ts';
import type { TokenUsage } from '../../../token-usage.ts';
import { served, type TieredRequest } from '../service-tier.ts';
import { COMMENTARY, responsesCounts, SEARCH_CALL, type KeptItem, type ResponsesResponse } from './wire.ts';

/** @throws {ModelError} `server` for an answer that holds nothing, and has not ended */
export function fromResponse(request: ModelRequest, response: ResponsesResponse): ModelResponse {
  const { output, kept, status, incomplete_details } = response;
  const counts = toCounts(request, response);
  if (output.length === 0 && !ENDS.has(status)) {
    throw new ModelError('server', 'response contains no output', { spent: toSpent(counts) });
  }
  const messages = output.flatMap((item) => ('content' in item ? [item] : []));
  const refused = messages.some(({ content }) => content.some((part) => 'refusal' in part));
  const calls = toCalls(
    'openai',
    output.flatMap((item) => ('call_id' in item ? [{ ...item, id: item.call_id }] : [])),
    endsEarly(INCOMPLETE.get(incomplete_details.reason)) && output.at(-1)?.type === 'function_call',
  );
  const searches = output.filter(isSearch).length;
  const searched = mostSearches(request.tools) > 0 && isSearched(response);
  const sentBack = kept.filter((item) => isSentBack(item) || (searched && item.type === SEARCH_CALL));
  const said = saidIn(messages, calls.length > 0);
  const text = said
    .map(({ content }) => toText(content))
    .filter(Boolean)
    .join('\n\n');
  return {
    text,
    calls,
    stopReason: refused ? 'refusal' : toStopReason(response, calls.length),
    rawStopReason: refused ? 'refusal' : incomplete_details.reason || status,
    usage: toUsage(request, { text, calls }, { ...counts, searches }),
    ...citing(said.flatMap(({ content }) => content.flatMap(citedIn))),
    // Between a call and its result a model needs its own thoughts back; after the last answer no request sends them.
    ...(!calls.some(({ cut }) => cut) &&
      (searched || (calls.length > 0 && kept.some(isReadable))) &&
      // "of type 'reasoning' was provided without its required following item"
      sentBack.at(-1)?.type !== 'reasoning' &&
      isShallow(kept) && { providerContent: sentBack }),
  };
}

/** The cost of an answer that cannot be used. */
export function spentOn(request: TieredRequest, answer: unknown): TokenUsage | 'unknown' {
  const parsed = v.safeParse(responsesCounts, answer);
  return parsed.success ? toSpent(toCounts(request, parsed.output)) : 'unknown';
}

function toCounts(
  request: TieredRequest,
  { usage, service_tier }: v.InferOutput<typeof responsesCounts>,
): CountedUsage {
  return {
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    cacheReadTokens: usage.input_tokens_details.cached_tokens ?? 0,
    cacheWriteTokens: usage.input_tokens_details.cache_write_tokens ?? 0,
    ...served(request, service_tier),
  };
}

type ResponsesMessage = Extract<ResponsesResponse['output'][number], { content: unknown }>;

/** Commentary is what an answer with calls says. Ahead of the final answer it is no part of that. */
function saidIn(messages: readonly ResponsesMessage[], hasCalls: boolean): readonly ResponsesMessage[] {
  const final = messages.filter(({ phase }) => phase !== COMMENTARY);
  return hasCalls || final.length === 0 ? messages : final;
}

type MessageParts = ResponsesMessage['content'];

/** Parts are one text; several messages are paragraphs of it. */
function toText(parts: MessageParts): string {
  return parts
    .map((part) => {
      if ('text' in part) return part.text;
      return 'refusal' in part ? part.refusal : '';
    })
    .join('');
}

function toStopReason({ status, incomplete_details }: ResponsesResponse, calls: number): StopReason {
  if (status === 'completed') return calls > 0 ? 'tool_calls' : 'end';
  return INCOMPLETE.get(incomplete_details.reason) ?? 'other';
}

const ENDS = new Set(['completed', 'incomplete']);

const INCOMPLETE: ReadonlyMap<string, StopReason> = new Map([
  ['content_filter', 'refusal'],
  ['max_output_tokens', 'max_tokens'],
]);

/** What was found goes back for as long as the conversation lasts, with all the thoughts that led to it or not at all. */
function isSearched({ kept, status }: ResponsesResponse): boolean {
  const isWhole =
    status === 'completed' && kept.every((item) => item.type !== 'reasoning' || isReadable(item));
  return isWhole && kept.some(({ type }) => type === SEARCH_CALL);
}

/** Whether an item is a search that has its price: opening a page has none. */
function isSearch(item: ResponsesResponse['output'][number]): boolean {
  return 'action' in item && item.action?.type === 'search';
}

function citedIn(part: MessageParts[number]) {
  return 'annotations' in part ? part.annotations : [];
}

/** Reasoning that OpenAI can read again; what it does not keep it knows by that alone. */
function isReadable(item: KeptItem): boolean {
  return item.type === 'reasoning' && typeof item['encrypted_content'] === 'string';
}

function isSentBack(item: KeptItem): boolean {
  return item.type === 'message' || item.type === 'function_call' || isReadable(item);
}
