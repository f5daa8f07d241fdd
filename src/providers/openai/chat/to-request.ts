import * as v from 'valibot';
import type { ModelRequest } from '../../../core/model/model.ts';
import type { ToolDefinition, UserMessage } from '../../../core/records/message.ts';
import { dataUrl, isDocument } from '../../attachments.ts';
import {
  attachedAfter,
  joinUserTurns,
  pairCalls,
  type AnsweredCall,
  type PairedTurn,
} from '../../pairing.ts';
import { isOwnCurrent, toTemperature } from '../model-table.ts';
import { toOutputFormat } from '../output-format.ts';
import { toTier } from '../service-tier.ts';
import {
  keptChat,
  type ChatMessage,
  type ChatCompletionRequest,
  type ChatPart,
  type ChatTool,
  type ChatToolCall,
  type KeptThoughts,
} from './wire.ts';
import { defined } from '../../../defined.ts';

/** @param strictRoles whether the server refuses a user's message after the results of tools */
export function toRequest(
  request: ModelRequest,
  baseUrl: string,
  strictRoles = false,
): ChatCompletionRequest {
  const system: ChatMessage[] = request.system === '' ? [] : [{ role: 'system', content: request.system }];
  return {
    model: request.model,
    messages: [
      ...system,
      ...joinUserTurns(attachedAfter(pairCalls(request.messages), strictRoles), strictRoles).flatMap((turn) =>
        toMessages(turn, request),
      ),
    ],
    ...toTemperature(request),
    ...(request.maxTokens === 0 ? {} : toLimit(request, baseUrl)),
    ...(request.reasoningEffort === undefined ? {} : { reasoning_effort: request.reasoningEffort }),
    ...toTier(request),
    ...(request.tools.length === 0 ? {} : { tools: request.tools.map(toTool) }),
    ...(request.outputSchema && {
      response_format: { type: 'json_schema', json_schema: toOutputFormat(request.outputSchema) },
    }),
  };
}

function toMessages(turn: PairedTurn, request: ModelRequest): ChatMessage[] {
  if (turn.role === 'user') return [{ role: 'user', content: toContent(turn, request) }];
  if (turn.calls.length === 0) return [{ role: 'assistant', content: turn.text }];
  const { extra_content, ...thoughts } = toThoughts(turn.providerContent, request.model);
  return [
    {
      role: 'assistant',
      content: turn.text === '' ? null : turn.text,
      ...thoughts,
      tool_calls: turn.calls.map((call, index) => toToolCall(call, extra_content?.[index] ?? undefined)),
    },
    ...turn.calls.map(({ id, result }) => ({
      role: 'tool' as const,
      tool_call_id: id,
      content: result.text,
    })),
  ];
}

/** https://developers.openai.com/api/docs/api-reference/chat/create */
function toContent({ text, attachments = [] }: UserMessage, request: ModelRequest): string | ChatPart[] {
  if (attachments.length === 0) return text;
  const files = attachments.map((attachment): ChatPart => {
    const url = dataUrl(request, attachment);
    return isDocument(attachment)
      ? { type: 'file', file: { filename: 'document.pdf', file_data: url } }
      : { type: 'image_url', image_url: { url } };
  });
  return [...files, { type: 'text', text }];
}

/** The same model's thoughts before its calls. */
function toThoughts(providerContent: unknown, model: string): KeptThoughts & { extra_content?: unknown[] } {
  const kept = v.safeParse(keptChat, providerContent);
  if (!kept.success || kept.output.model !== model) return {};
  const { wire: _, model: __, ...thoughts } = kept.output;
  return thoughts;
}

function toToolCall(call: AnsweredCall, extra_content: unknown): ChatToolCall {
  const { id, name } = call;
  return {
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(call.arguments) },
    ...defined({ extra_content }),
  };
}

/**
 * OpenAI's own current models refuse the old name of the limit from any server; on Azure, customers choose the names of
 * models.
 */
function toLimit({ model, maxTokens }: ModelRequest, baseUrl: string) {
  const current = /\/\/(api\.openai\.com|[^/]+\.azure\.com)/.test(baseUrl) || isOwnCurrent(model);
  return current ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens };
}

function toTool({ name, description, parameters }: ToolDefinition): ChatTool {
  return { type: 'function', function: { name, description, parameters } };
}
