import { mostSearches } from '../../../core/model/searches.ts';
import * as v from 'valibot';
import type { ModelRequest } from '../../../core/model/model.ts';
import type { Said } from '../../../core/records/attachment.ts';
import type { ToolDefinition } from '../../../core/records/message.ts';
import { dataUrl, isDocument } from '../../attachments.ts';
import { joinUserTurns, pairCalls, type AnsweredCall, type PairedTurn } from '../../pairing.ts';
import { MOST_CHARACTERS, shortId } from '../call-ids.ts';
import { hasPhases, isReasoning, toTemperature } from '../model-table.ts';
import { toOutputFormat } from '../output-format.ts';
import { toTier } from '../service-tier.ts';
import {
  COMMENTARY,
  keptItems,
  type ResponsesItem,
  type ResponsesPart,
  type ResponsesRequest,
  type ResponsesTool,
} from './wire.ts';

export function toRequest(request: ModelRequest): ResponsesRequest {
  const { model, system, tools, maxTokens, reasoningEffort, outputSchema } = request;
  const searches = mostSearches(tools);
  return {
    model,
    store: false,
    ...(system === '' ? {} : { instructions: system }),
    input: joinUserTurns(pairCalls(request.messages), false).flatMap((turn) => toItems(turn, request)),
    ...(tools.length === 0 ? {} : { tools: tools.map(toTool) }),
    ...(searches > 0 && { max_tool_calls: searches }),
    ...(outputSchema && { text: { format: { type: 'json_schema', ...toOutputFormat(outputSchema) } } }),
    ...toTemperature(request),
    ...(maxTokens === 0 ? {} : { max_output_tokens: Math.max(maxTokens, LEAST_TOKENS) }),
    ...(reasoningEffort === undefined ? {} : { reasoning: { effort: reasoningEffort } }),
    ...toTier(request),
    ...(tools.length > 0 && isReasoning(model) ? { include: ['reasoning.encrypted_content'] } : {}),
  };
}

/** "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16". */
const LEAST_TOKENS = 16;

function toItems(turn: PairedTurn, request: ModelRequest): ResponsesItem[] {
  if (turn.role === 'user') return [{ type: 'message', role: 'user', content: toContent(turn, request) }];
  const isPhased = hasPhases(request.model);
  const calls = turn.calls.map((call) => ({ ...call, id: shortId(call.id, MOST_CHARACTERS.responses) }));
  return [
    ...(toKeptItems(turn.providerContent, calls) ?? toOwnItems(turn.text, calls, isPhased)),
    ...calls.map(({ id, result }) => ({
      type: 'function_call_output' as const,
      call_id: id,
      output: toContent(result, request),
    })),
  ];
}

/** https://developers.openai.com/api/docs/api-reference/responses/create */
function toContent({ text, attachments = [] }: Said, request: ModelRequest): string | ResponsesPart[] {
  if (attachments.length === 0) return text;
  const files = attachments.map((attachment): ResponsesPart => {
    const url = dataUrl(request, attachment);
    return isDocument(attachment)
      ? { type: 'input_file', filename: 'document.pdf', file_data: url }
      : { type: 'input_image', image_url: url, detail: 'auto' };
  });
  return [...files, { type: 'input_text', text }];
}

/** The items as they came, with the ids that their results go by, and names that the API takes; undefined: none were kept. */
function toKeptItems(providerContent: unknown, calls: readonly AnsweredCall[]): ResponsesItem[] | undefined {
  const kept = v.safeParse(keptItems, providerContent);
  if (!kept.success) return undefined;
  const left = calls.values();
  return kept.output.map((item) => {
    if (item.type !== 'function_call') return item;
    const { value: call } = left.next();
    return { ...item, call_id: call?.id, name: call?.name };
  });
}

function toOwnItems(text: string, calls: readonly AnsweredCall[], isPhased: boolean): ResponsesItem[] {
  const phase = calls.length > 0 ? COMMENTARY : 'final_answer';
  const said = { type: 'message', role: 'assistant', content: text, ...(isPhased && { phase }) } as const;
  return [
    ...(text === '' ? [] : [said]),
    ...calls.map((call) => ({
      type: 'function_call' as const,
      call_id: call.id,
      name: call.name,
      arguments: JSON.stringify(call.arguments),
    })),
  ];
}

function toTool({ name, description, parameters, byProvider }: ToolDefinition): ResponsesTool {
  if (byProvider) return { type: 'web_search' };
  return { type: 'function', name, description, parameters, strict: false };
}
